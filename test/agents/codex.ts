import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Agent, COMMAND, type Place } from "./agent.ts"
import { AGENTS_FOLDER } from "./folder.ts"

const CODEX = {
  tool: "codex",
  package: "@openai/codex",
  version: "0.169.0",
  command: [
    "codex",
    "exec",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    "-",
  ],
} as const

const PATCH = "*** Begin Patch\n*** Update File: note.txt\n@@\n-before\n+after\n*** End Patch"
/** The newest model of OpenAI's that Codex lets edit by a tool of its own. */
const PATCHING_MODEL = "gpt-5.5"

const execute = (cmd: string) => ({ tool: "exec_command", arguments: { cmd } })

function configOf({ home }: Place): string {
  return join(home, ".codex", "config.toml")
}

/** With its own provider of OpenAI, whose address alone is changed; it tries a web socket first. */
function useOwnProvider(place: Place): void {
  const { target, environment } = place
  environment["CODEX_API_KEY"] = target.key
  const lines = [
    `model = ${JSON.stringify(target.model)}`,
    `openai_base_url = ${JSON.stringify(`${target.url}/v1`)}`,
  ]
  writeFileSync(configOf(place), `${lines.join("\n")}\n`)
}

/** Gives it the tools that it has for a model of OpenAI's: `apply_patch` takes text, and tools can be searched for. */
function knowModel(place: Place): void {
  const { home, target, environment: env } = place
  const codex = join(AGENTS_FOLDER, "node_modules", ".bin", "codex")
  const { stdout } = Bun.spawnSync([codex, "debug", "models", "--bundled"], { env })
  const { models } = JSON.parse(stdout.toString()) as { models: { slug: string }[] }
  const known = models.find(({ slug }) => slug === PATCHING_MODEL)
  if (known === undefined) throw new Error(`Codex does not know ${PATCHING_MODEL}`)
  const catalog = join(home, "models.json")
  writeFileSync(catalog, JSON.stringify({ models: [{ ...known, slug: target.model }] }))
  const config = readFileSync(configOf(place), "utf8")
  writeFileSync(configOf(place), `model_catalog_json = ${JSON.stringify(catalog)}\n${config}`)
}

/** Codex, in the ways in which its users have it. */
export const CODEX_WAYS: readonly Agent[] = [
  {
    ...CODEX,
    name: "Codex",
    steps: () => ["cat note.txt", "sed -i s/before/after/ note.txt", COMMAND].map(execute),
  },
  {
    ...CODEX,
    name: "Codex, openai_base_url",
    prepare: useOwnProvider,
    steps: () => ["cat note.txt", "sed -i s/before/after/ note.txt", COMMAND].map(execute),
  },
  {
    ...CODEX,
    name: "Codex, apply_patch",
    prepare: knowModel,
    steps: () => [
      execute("cat note.txt"),
      { tool: "apply_patch", arguments: { input: PATCH } },
      execute(COMMAND),
    ],
  },
]
