import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Agent, COMMAND } from "./agent.ts"
import { CODEX_WAYS } from "./codex.ts"
import { OPENCODE_WAYS } from "./opencode.ts"

const CLAUDE: Agent = {
  name: "Claude Code",
  tool: "claude",
  package: "@anthropic-ai/claude-code",
  version: "2.1.197",
  command: ["claude", "-p", "--allowedTools", "Read,Edit,Bash"],
  environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  steps: (folder) => {
    const file_path = `${folder}/note.txt`
    return [
      { tool: "Read", arguments: { file_path } },
      { tool: "Edit", arguments: { file_path, old_string: "before", new_string: "after" } },
      { tool: "Bash", arguments: { command: COMMAND, description: "Copy the note" } },
    ]
  },
}

const GEMINI: Agent = {
  name: "Gemini CLI",
  tool: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  command: ["gemini", "--approval-mode", "yolo"],
  // Its user answers two questions once: whether the folder is to be trusted, and how to sign in.
  environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  prepare: ({ home }) =>
    writeFileSync(
      join(home, ".gemini", "settings.json"),
      '{"security":{"auth":{"selectedType":"gemini-api-key"}}}',
    ),
  steps: (folder) => {
    const file_path = `${folder}/note.txt`
    const instruction = "Change the word"
    const edit = { file_path, instruction, old_string: "before", new_string: "after" }
    return [
      { tool: "read_file", arguments: { file_path } },
      { tool: "replace", arguments: edit },
      { tool: "run_shell_command", arguments: { command: COMMAND, description: "Copy it" } },
    ]
  },
}

/** The agents that are tried, each in exactly this version. */
export const AGENTS: readonly Agent[] = [CLAUDE, ...CODEX_WAYS, ...OPENCODE_WAYS, GEMINI]
