import type { Agent, Workspace } from "./agent.ts"

const COMMAND = ["copilot", "--allow-all", "--no-auto-update", "--reasoning-effort", "high"]

const COPILOT = {
  package: "@github/copilot",
  version: "1.0.102",
  command: COMMAND,
  environment: { COPILOT_OFFLINE: "true" },
  goOn: ({ environment }: Workspace, model: string) => {
    environment["COPILOT_MODEL"] = model
    return [...COMMAND, "--continue"]
  },
  steps: ({ folder, before, after, command }) => {
    const path = `${folder}/note.txt`
    return [
      { tool: "view", arguments: { path } },
      { tool: "edit", arguments: { path, old_str: before, new_str: after } },
      { tool: "bash", arguments: { command, description: "Copy the note" } },
    ]
  },
} satisfies Omit<Agent, "name">

/** Configures the gateway as Copilot's provider, in one of Copilot's formats. */
function speak(type: string, path: string, api?: string): (workspace: Workspace) => void {
  return ({ target, environment }) => {
    environment["COPILOT_PROVIDER_TYPE"] = type
    environment["COPILOT_PROVIDER_BASE_URL"] = target.url + path
    environment["COPILOT_PROVIDER_API_KEY"] = target.key
    environment["COPILOT_MODEL"] = target.models[0]
    if (api !== undefined) environment["COPILOT_PROVIDER_WIRE_API"] = api
  }
}

/** Copilot CLI with a custom provider, in each format that it supports. */
export const COPILOT_WAYS: readonly Agent[] = [
  { ...COPILOT, name: "Copilot CLI", prepare: speak("openai", "/v1") },
  { ...COPILOT, name: "Copilot CLI, responses", prepare: speak("openai", "/v1", "responses") },
  { ...COPILOT, name: "Copilot CLI, messages", prepare: speak("anthropic", "") },
]
