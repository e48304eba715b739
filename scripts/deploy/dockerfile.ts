import { readFileSync } from "node:fs"
import { validate } from "dockerfile-utils"
import { readSettings } from "./gateway-settings.ts"

interface Instruction {
  readonly name: string
  readonly text: string
}

/**
 * Returns the faults of the Dockerfile: those that the linter finds, and instructions that would run the image as root
 * or with a shell.
 */
export function checkDockerfile(path: string): string[] {
  const text = readFileSync(path, "utf8")
  const linted = validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)
  const instructions = instructionsOf(text)
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"))
  const find = (name: string): string | undefined =>
    last.findLast((instruction) => instruction.name === name)?.text
  const faults = [...linted, ...instructions.flatMap(untagged)]
  if (!/^gcr\.io\/distroless\/\S+:nonroot$/.test(find("FROM") ?? "")) {
    faults.push("the last stage is not built on a distroless image for users other than root")
  }
  if (!/^[1-9]\d*:[1-9]\d*$/.test(find("USER") ?? "")) {
    faults.push("USER must be a number other than 0, which Kubernetes can check")
  }
  if (find("RUN") !== undefined) faults.push("RUN needs a shell, which the last stage has not")
  for (const name of ["ENTRYPOINT", "CMD"]) {
    if (!find(name)?.startsWith("[")) faults.push(`${name} must be a list: there is no shell`)
  }
  const { settings, faults: unknown } = readSettings(variablesOf(find("ENV") ?? ""))
  faults.push(...unknown)
  if (settings && String(settings.server.port) !== find("EXPOSE")) {
    faults.push("EXPOSE is not TOLLGATE_PORT")
  }
  return faults
}

/** Returns the port on which the image listens. */
export function portOf(path: string): number {
  const exposed = instructionsOf(readFileSync(path, "utf8")).find(({ name }) => name === "EXPOSE")
  return Number(exposed?.text)
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.replace(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "")
  return [...lines.matchAll(/^([A-Z]+) +(.+)$/gm)].map(([, name = "", rest = ""]) => ({
    name,
    text: rest,
  }))
}

/** Returns images without a version, because such an image may change at any time. */
function untagged({ name, text }: Instruction): string[] {
  if (name !== "FROM") return []
  return /^(--platform=\S+ )?\S+:(?!latest)\S+/.test(text) ? [] : [`FROM ${text}: name a version`]
}

function variablesOf(text: string): Record<string, string> {
  const pairs = text.split(" ").map((pair) => pair.split("=", 2))
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]))
}
