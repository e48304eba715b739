import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Agent, patchOf, type Workspace, type Task } from "./agent.ts"

const COMMAND = ["opencode", "run", "--auto", "--variant", "high"]

const OPENCODE = {
  tool: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  command: COMMAND,
  environment: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  goOn: (_: Workspace, model: string) => [...COMMAND, "--continue", "--model", `tollgate/${model}`],
  steps: (task: Task) => {
    const { folder, model, before, after, command } = task
    const filePath = `${folder}/note.txt`
    const edit = { filePath, oldString: before, newString: after }
    return [
      { tool: "read", arguments: { filePath } },
      model.includes("gpt-")
        ? { tool: "apply_patch", arguments: { patchText: patchOf(task) } }
        : { tool: "edit", arguments: edit },
      { tool: "bash", arguments: { command, description: "Copy the note" } },
    ]
  },
} as const

interface Config {
  readonly provider: { readonly tollgate: { npm: string; models: Record<string, object> } }
}

/** Configures both models, which can reason, with a package of the AI SDK. */
function speakBy(npm: string): (workspace: Workspace) => void {
  return ({ home, target }) => {
    const path = join(home, ".config", "opencode", "opencode.json")
    const config = JSON.parse(readFileSync(path, "utf8")) as Config
    config.provider.tollgate.npm = npm
    config.provider.tollgate.models = Object.fromEntries(
      target.models.map((name) => [
        name,
        { name, reasoning: true, limit: { context: 200_000, output: 32_000 } },
      ]),
    )
    writeFileSync(path, JSON.stringify(config))
  }
}

/** opencode, in each format that it supports. */
export const OPENCODE_WAYS: readonly Agent[] = [
  { ...OPENCODE, name: "opencode", prepare: speakBy("@ai-sdk/openai-compatible") },
  { ...OPENCODE, name: "opencode, responses", prepare: speakBy("@ai-sdk/openai") },
  { ...OPENCODE, name: "opencode, messages", prepare: speakBy("@ai-sdk/anthropic") },
]
