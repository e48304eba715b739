import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Workspace } from "./agent.ts"

const COMMAND = ["qwen", "--approval-mode", "yolo"]

const QWEN = {
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  command: COMMAND,
  goOn: (_: Workspace, model: string) => [...COMMAND, "--continue", "--model", model],
  steps: ({ folder, before, after, command }) => {
    const file_path = `${folder}/note.txt`
    const words = { command, description: "Copy it", is_background: false }
    return [
      { tool: "read_file", arguments: { file_path } },
      { tool: "edit", arguments: { file_path, old_string: before, new_string: after } },
      { tool: "run_shell_command", arguments: words },
    ]
  },
} satisfies Omit<Agent, "name">

type Protocol = "openai" | "anthropic" | "gemini"

/**
 * An output limit above Qwen Code's thinking budget. For unknown models, Qwen Code sets both to the same number of
 * tokens.
 */
const OUTPUT = { generationConfig: { samplingParams: { max_tokens: 64_000 } } }

/** Writes the gateway's models to Qwen Code's settings. */
function speak(
  protocol: Protocol,
  path: string,
  more: object = {},
): (workspace: Workspace) => void {
  return ({ home, target }) => {
    const models = target.models.map((id) => ({
      id,
      name: id,
      envKey: "TOLLGATE_KEY",
      baseUrl: target.url + path,
      ...more,
    }))
    const settings = {
      modelProviders: { [protocol]: models },
      security: { auth: { selectedType: protocol } },
      model: { name: target.models[0] },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }
    mkdirSync(join(home, ".qwen"), { recursive: true })
    writeFileSync(join(home, ".qwen", "settings.json"), JSON.stringify(settings))
  }
}

/** Qwen Code, in each format that it supports. */
export const QWEN_WAYS: readonly Agent[] = [
  { ...QWEN, name: "Qwen Code", prepare: speak("openai", "/v1") },
  {
    ...QWEN,
    name: "Qwen Code, responses",
    prepare: speak("openai", "/v1", { wireApi: "responses" }),
  },
  { ...QWEN, name: "Qwen Code, messages", prepare: speak("anthropic", "", OUTPUT) },
  { ...QWEN, name: "Qwen Code, Gemini", prepare: speak("gemini", "") },
]
