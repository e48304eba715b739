import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Agent, patchOf, type Workspace, type Step, type Task } from "./agent.ts"
import { PROGRAMS } from "./folder.ts"

const OPTIONS = [
  "--skip-git-repo-check",
  "--dangerously-bypass-approvals-and-sandbox",
  "-c",
  'model_reasoning_effort="high"',
]

const CODEX = {
  tool: "codex",
  package: "@openai/codex",
  version: "0.171.0",
  command: ["codex", "exec", ...OPTIONS, "-"],
  goOn: (_: Workspace, model: string) => [
    "codex",
    "exec",
    "resume",
    "--last",
    "--model",
    model,
    ...OPTIONS,
    "-",
  ],
} as const

/** The newest OpenAI model for which Codex uses its own editing tool. */
const PATCHING_MODEL = "gpt-5.5"

const execute = (cmd: string) => ({ tool: "exec_command", arguments: { cmd } })

function steps({ before, after, command }: Task): Step[] {
  return ["cat note.txt", `sed -i s/${before}/${after}/ note.txt`, command].map(execute)
}

function configOf({ home }: Workspace): string {
  return join(home, ".codex", "config.toml")
}

/** Makes Codex use its built-in provider for OpenAI with another address. Codex then tries a web socket first. */
function useOwnProvider(workspace: Workspace): void {
  const { target, environment } = workspace
  environment["CODEX_API_KEY"] = target.key
  const lines = [
    `model = ${JSON.stringify(target.models[0])}`,
    `openai_base_url = ${JSON.stringify(`${target.url}/v1`)}`,
  ]
  writeFileSync(configOf(workspace), `${lines.join("\n")}\n`)
}

/** Gives Codex the tools of an OpenAI model: `apply_patch` takes text, and tools can be searched for. */
function knowModel(workspace: Workspace): void {
  const { home, target, environment: env } = workspace
  const codex = join(PROGRAMS, "codex")
  const { stdout } = Bun.spawnSync([codex, "debug", "models", "--bundled"], { env })
  const { models } = JSON.parse(stdout.toString()) as { models: { slug: string }[] }
  const known = models.find(({ slug }) => slug === PATCHING_MODEL)
  if (known === undefined) throw new Error(`Codex does not know ${PATCHING_MODEL}`)
  const ours = target.models.map((slug) => ({ ...known, slug }))
  const catalog = join(home, "models.json")
  writeFileSync(catalog, JSON.stringify({ models: ours }))
  const config = readFileSync(configOf(workspace), "utf8")
  writeFileSync(configOf(workspace), `model_catalog_json = ${JSON.stringify(catalog)}\n${config}`)
}

/** Codex, in the ways in which people use it. */
export const CODEX_WAYS: readonly Agent[] = [
  { ...CODEX, name: "Codex", steps },
  { ...CODEX, name: "Codex, openai_base_url", prepare: useOwnProvider, steps },
  {
    ...CODEX,
    name: "Codex, apply_patch",
    prepare: knowModel,
    steps: (task) => [
      execute("cat note.txt"),
      { tool: "apply_patch", arguments: { input: patchOf(task) } },
      execute(task.command),
    ],
  },
]
