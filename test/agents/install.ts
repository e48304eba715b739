import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AGENTS } from "./agents.ts"
import { AGENTS_FOLDER } from "./folder.ts"

/**
 * Installs the agents, each in its exact version.
 * @returns the reason if the installation fails; otherwise undefined.
 */
export function installAgents(): string | undefined {
  mkdirSync(AGENTS_FOLDER, { recursive: true })
  const dependencies = Object.fromEntries(AGENTS.map((agent) => [agent.package, agent.version]))
  // These two packages download their programs in an install script.
  const allowScripts = { "@anthropic-ai/claude-code": true, "opencode-ai": true }
  const document = { name: "tollgate-agents", private: true, dependencies, allowScripts }
  writeFileSync(join(AGENTS_FOLDER, "package.json"), JSON.stringify(document, undefined, 2))
  const words = ["npm", "install", "--no-audit", "--no-fund"]
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd: AGENTS_FOLDER })
  return exitCode === 0 ? undefined : stderr.toString().trim()
}
