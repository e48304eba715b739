import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Agent, Target } from "./agent.ts"
import { AGENTS_FOLDER } from "./folder.ts"
import { type Exchange, Recorder } from "./recorder.ts"

const REPOSITORY = Bun.fileURLToPath(new URL("../..", import.meta.url))
/** Milliseconds that an agent may take for its task. */
const LONGEST = 120_000

/** What became of a task. */
export interface Outcome {
  /** What of the task is not done. */
  readonly fault?: string
  readonly exchanges: readonly Exchange[]
  /** Everything that the agent wrote. */
  readonly output: string
}

/** Lets an agent do its task in a folder of its own. */
export async function runTask(agent: Agent, { url, key, model }: Target): Promise<Outcome> {
  const home = mkdtempSync(join(AGENTS_FOLDER, "home-"))
  const folder = mkdtempSync(join(tmpdir(), "tollgate-task-"))
  await using recorder = await Recorder.start(url)
  try {
    writeFileSync(join(folder, "note.txt"), "before\n")
    const target = { url: recorder.url, key, model }
    const environment = environmentOf(agent, target, home)
    connect(agent, target, environment)
    agent.prepare?.({ home, target, environment })
    const output = await start(agent, folder, environment)
    const fault = faultIn(folder)
    return { ...(fault && { fault }), exchanges: recorder.exchanges, output }
  } finally {
    rmSync(home, { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing of the person that runs this reaches the agent, least of all a key. */
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

/** @returns what it wrote. */
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
