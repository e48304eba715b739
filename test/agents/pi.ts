import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Workspace } from "./agent.ts"

const COMMAND = ["pi", "-p", "--offline", "--thinking", "high", "--provider", "tollgate"]

const PI = {
  package: "@mariozechner/pi-coding-agent",
  version: "0.73.1",
  command: COMMAND,
  goOn: (_: Workspace, model: string) => [...COMMAND, "--continue", "--model", model],
  steps: ({ before, after, command }) => [
    { tool: "read", arguments: { path: "note.txt" } },
    { tool: "edit", arguments: { path: "note.txt", edits: [{ oldText: before, newText: after }] } },
    { tool: "bash", arguments: { command } },
  ],
} satisfies Omit<Agent, "name">

/** Adds the gateway to pi's list of providers. */
function speak(api: string, path: string): (workspace: Workspace) => void {
  return ({ home, target }) => {
    const folder = join(home, ".pi", "agent")
    const models = target.models.map((id) => ({ id, reasoning: true }))
    const tollgate = { baseUrl: target.url + path, apiKey: "TOLLGATE_KEY", api, models }
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { tollgate } }))
  }
}

const API_OF = {
  pi: ["openai-completions", "/v1"],
  "pi, responses": ["openai-responses", "/v1"],
  "pi, messages": ["anthropic-messages", ""],
  "pi, Gemini": ["google-generative-ai", "/v1beta"],
} as const

/** pi, in each format that it supports. */
export const PI_WAYS: readonly Agent[] = Object.entries(API_OF).map(([name, [api, path]]) => ({
  ...PI,
  name,
  prepare: speak(api, path),
}))
