import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Agent } from "./agents.ts"
import { AGENTS_FOLDER } from "./install.ts"

/** What an agent calls. */
export interface Target {
  /** The gateway's address. */
  readonly url: string
  readonly key: string
  readonly model: string
}

const REPOSITORY = new URL("../..", import.meta.url).pathname
/** Milliseconds that an agent may take for its task. */
const LONGEST = 120_000
const MOST_REASON = 300

/** Lets an agent do its task in a folder of its own. @returns what went wrong, or undefined. */
export async function runTask(agent: Agent, target: Target): Promise<string | undefined> {
  const home = mkdtempSync(join(AGENTS_FOLDER, "home-"))
  const folder = mkdtempSync(join(tmpdir(), "tollgate-task-"))
  try {
    writeFileSync(join(folder, "note.txt"), "before\n")
    const environment = environmentOf(agent, target, home)
    connect(agent, target, environment)
    if (agent.answered) writeFileSync(join(home, agent.answered.path), agent.answered.text)
    const output = await start(agent, folder, environment)
    return faultIn(folder) && `${faultIn(folder)}: ${output.slice(-MOST_REASON)}`
  } finally {
    rmSync(home, { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing of whoever runs this reaches the agent, least of all a key. */
function environmentOf(agent: Agent, { key }: Target, home: string): Record<string, string> {
  const programs = join(AGENTS_FOLDER, "node_modules", ".bin")
  return {
    HOME: home,
    PATH: `${programs}:${process.env["PATH"] ?? ""}`,
    TOLLGATE_KEY: key,
    ...agent.environment,
  }
}

/** Writes the agent's settings by the command that people use. */
function connect(agent: Agent, target: Target, environment: Record<string, string>): void {
  const { key, url, model } = target
  const data = join(environment["HOME"] ?? "", "tollgate")
  mkdirSync(data)
  const words = [process.execPath, join(REPOSITORY, "src/main.ts"), "connect", agent.tool]
  const options = ["--key", key, "--url", url, "--model", model, "--data", data, "--write"]
  const env = { ...environment }
  const { exitCode, stderr } = Bun.spawnSync([...words, ...options], { cwd: data, env })
  if (exitCode !== 0) throw new Error(`connect ${agent.tool}: ${stderr.toString()}`)
}

/** @returns everything that the agent wrote. */
async function start(agent: Agent, folder: string, env: Record<string, string>): Promise<string> {
  const lines = agent
    .steps(folder)
    .map((step) => `call ${step.tool} ${JSON.stringify(step.arguments)}`)
  const child = Bun.spawn([...agent.command], {
    cwd: folder,
    env,
    stdin: new Blob([`Do these steps, one after another:\n${lines.join("\n")}\n`]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: LONGEST,
    killSignal: "SIGKILL",
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return `${output}\n${errors}`.trim()
}

/** What of the task is not done. */
function faultIn(folder: string): string | undefined {
  if (textOf(join(folder, "note.txt")) !== "after\n") return "the file is not changed"
  return textOf(join(folder, "ran.txt")) === "after\n" ? undefined : "the command did not run"
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
