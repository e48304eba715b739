import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Agent, patchOf, type Workspace } from "./agent.ts"
import { PROGRAMS } from "./folder.ts"

const CLINE = join(PROGRAMS, "cline")
const COMMAND = ["cline", "--thinking", "high"]

/** Signs in at a provider, as a user of Cline does once. */
function signIn({ target, environment: env, folder: cwd }: Workspace): void {
  const { key, url, models } = target
  const words = ["auth", "-p", "openai", "-k", key, "-m", models[0], "-b", `${url}/v1`]
  const { exitCode, stderr } = Bun.spawnSync([CLINE, ...words], { cwd, env })
  if (exitCode !== 0) throw new Error(`cline auth: ${stderr.toString()}`)
}

/** Ends Cline's daemon, which continues to run after a session. */
function endHub({ home }: Workspace): void {
  const path = join(home, ".cline", "data", "locks", "hub", "production.json")
  if (!existsSync(path)) return
  const { pid } = JSON.parse(readFileSync(path, "utf8")) as { readonly pid?: number }
  if (pid !== undefined) process.kill(pid)
}

/** Cline's command line. It can continue a session only in its terminal interface, so each turn is a new session. */
export const CLINE_AGENT: Agent = {
  name: "Cline",
  package: "cline",
  version: "3.0.65",
  command: COMMAND,
  takesArgument: true,
  prepare: signIn,
  finish: endHub,
  goOn: (_, model) => [...COMMAND, "--model", model],
  steps: (task) => {
    const { folder, model, before, after, command } = task
    const path = `${folder}/note.txt`
    return [
      { tool: "read_files", arguments: { files: [{ path }] } },
      model.includes("gpt-")
        ? { tool: "apply_patch", arguments: { input: patchOf(task) } }
        : { tool: "editor", arguments: { path, old_text: before, new_text: after } },
      { tool: "run_commands", arguments: { commands: [command] } },
    ]
  },
}
