import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Tool } from "tollgate-contract/tools.ts"
import type { Agent, Workspace, Target, Task } from "./agent.ts"
import { AGENTS_FOLDER, PROGRAMS } from "./folder.ts"
import { type Exchange, Recorder } from "./recorder.ts"

const REPOSITORY = Bun.fileURLToPath(new URL("../..", import.meta.url))
/** Maximum time for one turn of an agent. */
const TIMEOUT_MS = 120_000

/** The result of one turn of a session. */
export interface Turn {
  readonly model: string
  /** Describes the missing part of the result; undefined if the task is done. */
  readonly fault?: string
  readonly exchanges: readonly Exchange[]
  /** The output of the agent. */
  readonly output: string
}

/** Runs an agent in its own folder, one task after another, each with the next model. */
export async function runSession(
  agent: Agent,
  { url, key, models }: Target,
  onTurn: (turn: Turn) => void,
): Promise<void> {
  const home = mkdtempSync(join(AGENTS_FOLDER, "home-"))
  const folder = mkdtempSync(join(tmpdir(), "tollgate-task-"))
  await using recorder = await Recorder.start(url)
  try {
    const target = { url: recorder.url, key, models }
    const environment = environmentOf(agent, target, home)
    if (agent.tool !== undefined) connect(agent.tool, target, environment)
    const workspace = { home, folder, target, environment }
    using _ = { [Symbol.dispose]: () => agent.finish?.(workspace) }
    agent.prepare?.(workspace)
    for (const [turn, model] of models.entries()) {
      const task = taskOf(folder, turn, model)
      begin(task)
      const words = turn === 0 ? agent.command : agent.goOn(workspace, model)
      const seen = recorder.exchanges.length
      const output = await work(agent, words, workspace, task)
      const fault = faultIn(task, turn)
      const exchanges = recorder.exchanges.slice(seen)
      onTurn({ model, ...(fault && { fault }), exchanges, output })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

function taskOf(folder: string, turn: number, model: string): Task {
  const before = `text-${turn}`
  return { folder, model, before, after: `text-${turn + 1}`, command: copyTo(turn) }
}

function copyTo(turn: number): string {
  return `cat note.txt > ran-${turn}.txt`
}

/**
 * Returns the agent's environment variables. Variables of the person who runs the tests are excluded, in particular
 * keys.
 */
function environmentOf(agent: Agent, { key }: Target, home: string): Record<string, string> {
  return {
    HOME: home,
    PATH: `${PROGRAMS}:${process.env["PATH"] ?? ""}`,
    TOLLGATE_KEY: key,
    ...agent.environment,
  }
}

/** Writes the agent's settings with the command that users run. */
function connect(tool: Tool, target: Target, environment: Record<string, string>): void {
  const { key, url, models } = target
  const data = join(environment["HOME"] ?? "", "tollgate")
  mkdirSync(data)
  const words = [process.execPath, join(REPOSITORY, "src/main.ts"), "connect", tool]
  const options = ["--key", key, "--url", url, "--model", models[0], "--data", data, "--write"]
  const env = { ...environment }
  const { exitCode, stderr } = Bun.spawnSync([...words, ...options], { cwd: data, env })
  if (exitCode !== 0) throw new Error(`connect ${tool}: ${stderr.toString()}`)
}

/**
 * Runs one turn.
 * @returns the output of the agent.
 */
async function work(
  agent: Agent,
  words: readonly string[],
  { folder, environment }: Workspace,
  task: Task,
): Promise<string> {
  const lines = agent
    .steps(task)
    .map((step) => `call ${step.tool} ${JSON.stringify(step.arguments)}`)
  const prompt = `Do these steps, one after another:\n${lines.join("\n")}`
  const child = Bun.spawn(agent.takesArgument ? [...words, prompt] : [...words], {
    cwd: folder,
    env: environment,
    stdin: new Blob(agent.takesArgument ? [] : [prompt]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return `${output}\n${errors}`.trim()
}

/** Writes the file of a task, because a failed turn may have left text that the next turn does not expect. */
function begin({ folder, before }: Task): void {
  const path = join(folder, "note.txt")
  if (textOf(path) !== `${before}\n`) writeFileSync(path, `${before}\n`)
}

/** Describes the missing part of a task's result; undefined if the task is done. */
function faultIn({ folder, after }: Task, turn: number): string | undefined {
  const text = `${after}\n`
  if (textOf(join(folder, "note.txt")) !== text) return "the file is not changed"
  return textOf(join(folder, `ran-${turn}.txt`)) === text ? undefined : "the command did not run"
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
