/** Checks the workflows and other files in `.github` that no command of this project runs. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { z } from "zod"

const FOLDER = ".github/workflows"
/** Matches `npm run NAME`, with or without `-s`. */
const NPM_RUN = /\bnpm run (?:-s )?([\w:-]+)/g
/** Matches files of the repository that a step names. */
const FILE = /(?:^|\s)((?:deploy|scripts|\.ci)\/[\w./-]+)/g
/** Matches an action that is pinned to a commit and has a comment with its version. */
const PINNED = /^\s*- uses: [\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/

const stepSchema = z.looseObject({ uses: z.string().optional(), run: z.string().optional() })
const jobSchema = z.looseObject({
  "timeout-minutes": z.number(),
  needs: z.union([z.string(), z.array(z.string())]).default([]),
  steps: z.array(stepSchema),
})
const workflowSchema = z.looseObject({
  name: z.string(),
  permissions: z.strictObject({ contents: z.literal("read") }),
  jobs: z.record(z.string(), jobSchema),
})

/**
 * Checks the workflows.
 * @returns all faults, one line each.
 * @param root the folder of the checkout.
 */
export function checkWorkflows(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>
  }
  const files = readdirSync(join(root, FOLDER)).map((name) => `${FOLDER}/${name}`)
  return [...files.flatMap((file) => workflowFaults(root, file, manifest.scripts)), ...others(root)]
}

function workflowFaults(
  root: string,
  file: string,
  scripts: Readonly<Record<string, string>>,
): string[] {
  const text = readFileSync(join(root, file), "utf8")
  const { data, error } = read(text)
  if (data === undefined) return [`${file}: ${error}`]
  const unpinned = text.split("\n").filter((line) => /\buses:/.test(line) && !PINNED.test(line))
  const faults = unpinned.map(
    (line) => `pin '${line.trim()}' to a commit, with '# v1.2.3' after it`,
  )
  for (const [name, { needs, steps }] of Object.entries(data.jobs)) {
    const missing = [needs].flat().filter((other) => data.jobs[other] === undefined)
    faults.push(
      ...missing.map((other) => `the job ${name} needs the job ${other}, which is missing`),
    )
    for (const { run = "" } of steps) {
      for (const [, script = ""] of run.matchAll(NPM_RUN)) {
        if (scripts[script] === undefined) faults.push(`package.json has no script ${script}`)
      }
      for (const [, path = ""] of run.matchAll(FILE)) {
        if (!existsSync(join(root, path))) faults.push(`${path} does not exist`)
      }
    }
  }
  return faults.map((fault) => `${file}: ${fault}`)
}

function read(text: string) {
  try {
    const { data, error } = workflowSchema.safeParse(parse(text))
    const reasons = error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
    return { data, error: reasons?.join("; ") }
  } catch (error) {
    return { data: undefined, error: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Returns the faults of issue templates and of the settings of Dependabot. They must be well-formed, and their folders
 * must exist.
 */
function others(root: string): string[] {
  const templates = readdirSync(join(root, ".github/ISSUE_TEMPLATE"))
  for (const name of templates)
    parse(readFileSync(join(root, ".github/ISSUE_TEMPLATE", name), "utf8"))
  const file = ".github/dependabot.yml"
  const settings = parse(readFileSync(join(root, file), "utf8")) as {
    updates: readonly { readonly directory: string }[]
  }
  return settings.updates
    .filter(({ directory }) => !existsSync(join(root, directory)))
    .map(({ directory }) => `${file}: ${directory} does not exist`)
}
