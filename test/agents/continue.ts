import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Workspace } from "./agent.ts"

const COMMAND = ["cn", "-p", "--auto", "--config", "config.yaml"]

/** Matches models that Continue allows to make several edits at once. */
const SKILLED = /claude|gemini|gpt|grok|kimi|mistral|o4|qwen/

type Provider = "openai" | "anthropic"

/** Writes a model of the gateway to Continue's configuration, which is in a file next to the task. */
function configure({ folder, target }: Workspace, provider: Provider, model: string): void {
  const models = [
    {
      name: model,
      provider,
      model,
      apiBase: `${target.url}/v1/`,
      apiKey: target.key,
      roles: ["chat", "edit", "apply"],
      capabilities: ["tool_use"],
      defaultCompletionOptions: { reasoning: true },
    },
  ]
  // Every JSON text is also YAML.
  const text = JSON.stringify({ name: "gateway", version: "1.0.0", schema: "v1", models })
  writeFileSync(join(folder, "config.yaml"), text)
}

function speak(provider: Provider): Agent {
  return {
    name: `Continue, ${provider}`,
    package: "@continuedev/cli",
    version: "1.5.47",
    command: COMMAND,
    environment: { CONTINUE_CLI_ENABLE_TELEMETRY: "0" },
    prepare: (workspace) => {
      configure(workspace, provider, workspace.target.models[0])
    },
    goOn: (workspace, model) => {
      configure(workspace, provider, model)
      return [...COMMAND, "--resume"]
    },
    steps: ({ folder, model, before, after, command }) => {
      const file_path = `${folder}/note.txt`
      const edit = { old_string: before, new_string: after }
      return [
        { tool: "Read", arguments: { filepath: file_path } },
        SKILLED.test(model)
          ? { tool: "MultiEdit", arguments: { file_path, edits: [edit] } }
          : { tool: "Edit", arguments: { file_path, ...edit } },
        { tool: "Bash", arguments: { command } },
      ]
    },
  }
}

/** Continue's command line. Its provider for Gemini has no setting for the address. */
export const CONTINUE_WAYS: readonly Agent[] = [speak("openai"), speak("anthropic")]
