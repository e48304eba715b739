import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { toolSettings } from "tollgate-contract/tools.ts"
import { readSettings } from "../../scripts/deploy/gateway-settings.ts"
import { runtimeConfigOf } from "../../src/app/state.ts"
import { EXAMPLES } from "../examples/examples.ts"

const FOLDER = join(import.meta.dir, "../../examples")
const names = EXAMPLES.map(({ name }) => name)
const MODEL = /\b(?:openai|anthropic|cohere|google)\/[\w.-]*\w/g
/** Matches packages and images whose names look like models. */
const NO_MODEL = /openai-compatible|langchain/

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image?: string
        readonly depends_on?: readonly string[]
        readonly environment?: Readonly<Record<string, string>>
        readonly volumes?: readonly (string | { readonly source: string })[]
      }
    >
  >
  readonly volumes?: Readonly<Record<string, unknown>>
}

function read(...path: string[]): string {
  return readFileSync(join(FOLDER, ...path), "utf8")
}

function filesOf(name: string): string[] {
  return readdirSync(join(FOLDER, name)).map((file) => `${name}/${file}`)
}

test("every folder in examples is tested and listed in the index", () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  expect(folders.toSorted()).toEqual(names.toSorted())
  const listed = [...read("README.md").matchAll(/^\| \[(.+?)\]\(\1\) \|/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(names.toSorted())
})

describe.each(names)("the example %s", (name) => {
  test("has settings that the gateway accepts, and names only models that exist", () => {
    const text = read(name, "tollgate.yaml")
    const variables = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, variable = ""]) => variable)
    const environment = Object.fromEntries(
      variables.map((variable) => [variable, "value-of-a-variable"]),
    )
    const { settings, faults } = readSettings(environment, text)
    expect(faults).toEqual([])
    if (settings === undefined) throw new Error("no settings")
    const known = new Set(
      runtimeConfigOf(settings)
        .config.catalog.list()
        .map(({ id }) => id),
    )
    const named = filesOf(name).flatMap((file) => read(file).match(MODEL) ?? [])
    expect(named.filter((id) => !NO_MODEL.test(id) && !known.has(id))).toEqual([])
  })

  test("has a README with the commands to run it", () => {
    expect(read(name, "README.md")).toContain("```sh")
  })
})

const composeFiles = names
  .flatMap(filesOf)
  .filter((file) => /\/(docker-)?compose[^/]*\.ya?ml$/.test(file))

test.each(composeFiles)(
  "%s names only files, volumes, services and versions that exist",
  (file) => {
    const { services, volumes = {} } = parse(read(file)) as Compose
    const folder = file.split("/")[0] ?? ""
    const missing: string[] = []
    for (const [name, service] of Object.entries(services)) {
      const image = service.image ?? "in:LibreChat's own file"
      if (!/:(?!latest)\S+/.test(image)) missing.push(`${name}: ${image} has no version`)
      missing.push(...(service.depends_on ?? []).filter((other) => !(other in services)))
      for (const volume of service.volumes ?? []) {
        const source = typeof volume === "string" ? (volume.split(":")[0] ?? "") : volume.source
        const isThere = source.startsWith("./")
          ? existsSync(join(FOLDER, folder, source))
          : source in volumes
        if (!isThere) missing.push(`${name}: ${source}`)
      }
      for (const value of Object.values(service.environment ?? {})) {
        const [, host, port] = /^http:\/\/([\w-]+):(\d+)/.exec(value) ?? []
        if (host !== undefined && (!(host in services) || port !== "8787")) missing.push(value)
      }
    }
    expect(missing).toEqual([])
  },
)

test.each([
  ["claude", "claude-code/settings.json", "anthropic/claude-sonnet-5"],
  ["codex", "codex/config.toml", "openai/gpt-5.5"],
] as const)("tollgate connect %s shows the settings of %s", (tool, file, model) => {
  const facts = { url: "http://127.0.0.1:8787", key: undefined, model, pathOf: () => "" }
  const own = read(file).trim()
  const shown = toolSettings(tool, facts).text
  const haiku = /"ANTHROPIC_DEFAULT_HAIKU_MODEL": ".*"/
  expect(own.replace(haiku, "")).toBe(shown.replace(haiku, ""))
})
