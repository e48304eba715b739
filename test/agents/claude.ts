import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Workspace, Step, Task } from "./agent.ts"

const COMMAND = ["claude", "-p", "--effort", "high", "--allowedTools"]
const ALLOWED = "Read,Edit,Bash,ToolSearch,mcp__voice__shout"
const MCP_SERVER = Bun.fileURLToPath(new URL("mcp-server.ts", import.meta.url))

const CLAUDE = {
  tool: "claude",
  package: "@anthropic-ai/claude-code",
  version: "2.1.332",
  command: [...COMMAND, ALLOWED],
  environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  goOn: (_: Workspace, model: string) => [...COMMAND, ALLOWED, "--continue", "--model", model],
} as const

function steps({ folder, before, after, command }: Task): Step[] {
  const file_path = `${folder}/note.txt`
  return [
    { tool: "Read", arguments: { file_path } },
    { tool: "Edit", arguments: { file_path, old_string: before, new_string: after } },
    { tool: "Bash", arguments: { command, description: "Copy the note" } },
  ]
}

/** Adds an MCP server. Its tools are found by a search whose result contains only their names. */
function addMcpServer({ folder }: Workspace): void {
  const voice = { command: process.execPath, args: [MCP_SERVER] }
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { voice } }))
}

/** Claude Code, without and with an MCP server. */
export const CLAUDE_WAYS: readonly Agent[] = [
  { ...CLAUDE, name: "Claude Code", steps },
  {
    ...CLAUDE,
    name: "Claude Code, MCP server",
    command: [...CLAUDE.command, "--mcp-config", ".mcp.json"],
    goOn: (workspace, model) => [...CLAUDE.goOn(workspace, model), "--mcp-config", ".mcp.json"],
    prepare: addMcpServer,
    steps: (task) => [
      {
        tool: "ToolSearch",
        arguments: { query: "select:mcp__voice__shout", max_results: 5 },
      },
      { tool: "mcp__voice__shout", arguments: { text: "hello" } },
      ...steps(task),
    ],
  },
]
