import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent } from "./agent.ts"

const COMMAND = ["gemini", "--approval-mode", "yolo"]

export const GEMINI: Agent = {
  name: "Gemini CLI",
  tool: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  command: COMMAND,
  // Trusts the folder. Gemini CLI would otherwise ask about this. `prepare` answers its other question, how to sign in.
  environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  prepare: ({ home }) =>
    writeFileSync(
      join(home, ".gemini", "settings.json"),
      '{"security":{"auth":{"selectedType":"gemini-api-key"}}}',
    ),
  goOn: (_, model) => [...COMMAND, "--resume", "latest", "--model", model],
  steps: ({ folder, before, after, command }) => {
    const file_path = `${folder}/note.txt`
    const instruction = "Change the word"
    const edit = { file_path, instruction, old_string: before, new_string: after }
    return [
      { tool: "read_file", arguments: { file_path } },
      { tool: "replace", arguments: edit },
      { tool: "run_shell_command", arguments: { command, description: "Copy it" } },
    ]
  },
}
