/** One step of a task: a tool of the agent, and what it is called with. */
interface Step {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A program that people let work in a folder, as npm has it. */
export interface Agent {
  readonly tool: "claude" | "codex" | "opencode" | "gemini"
  readonly package: string
  readonly version: string
  /** The program's name and the words that make it do one task from its standard input. */
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** A file below its home that holds what its user has answered it once. */
  readonly answered?: { readonly path: string; readonly text: string }
  /** Reads `note.txt`, changes "before" to "after" in it, and runs a command that writes `ran.txt`. */
  steps(folder: string): readonly Step[]
}

const COMMAND = "cat note.txt > ran.txt"

/** The agents that are tried, each in exactly this version. */
export const AGENTS: readonly Agent[] = [
  {
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
  },
  {
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
    steps: () =>
      ["cat note.txt", "sed -i s/before/after/ note.txt", COMMAND].map((cmd) => ({
        tool: "exec_command",
        arguments: { cmd },
      })),
  },
  {
    tool: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    command: ["opencode", "run", "--auto"],
    environment: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    steps: (folder) => {
      const filePath = `${folder}/note.txt`
      return [
        { tool: "read", arguments: { filePath } },
        { tool: "edit", arguments: { filePath, oldString: "before", newString: "after" } },
        { tool: "bash", arguments: { command: COMMAND, description: "Copy the note" } },
      ]
    },
  },
  {
    tool: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    command: ["gemini", "--approval-mode", "yolo"],
    // It reads its settings in folders that its user trusts.
    environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    answered: {
      path: ".gemini/settings.json",
      text: '{"security":{"auth":{"selectedType":"gemini-api-key"}}}',
    },
    steps: (folder) => {
      const file_path = `${folder}/note.txt`
      const instruction = "Change the word"
      return [
        { tool: "read_file", arguments: { file_path } },
        {
          tool: "replace",
          arguments: { file_path, instruction, old_string: "before", new_string: "after" },
        },
        { tool: "run_shell_command", arguments: { command: COMMAND, description: "Copy it" } },
      ]
    },
  },
]
