import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isUnchanged, type Sources } from "../../scripts/sources.ts"
import { runCli } from "../../src/cli/program.ts"
import { FakeTerminal } from "../cli/fake-terminal.ts"

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url))
const EXECUTABLE = join(ROOT, "dist/tollgate")
const BUILD_RECORD = join(ROOT, "dist/tollgate.json")

const DELAYED_FLUSHES = join(ROOT, "test/support/delayed-flushes.ts")
const FLUSH_DELAY = process.env["TOLLGATE_TEST_FLUSH_DELAY_MS"]
const PROGRAM = program()
/** The program and its first arguments, for tests that start it in a shell or kill it. */
export const PROGRAM_WORDS = PROGRAM.words

/**
 * Returns the command that starts a process of the gateway. If the compiled executable matches the source, it is used,
 * as with `npm start`. It takes a third of the processor time, and no process compares the source again.
 */
function program(): { words: readonly string[]; environment: Record<string, string> } {
  const source = join(ROOT, "src/main.ts")
  if (FLUSH_DELAY !== undefined) {
    return {
      words: [process.execPath, "--preload", DELAYED_FLUSHES, source],
      environment: { TOLLGATE_TEST_FLUSH_DELAY_MS: FLUSH_DELAY },
    }
  }
  return { words: isBuilt() ? [EXECUTABLE] : [process.execPath, source], environment: {} }
}

function isBuilt(): boolean {
  if (!existsSync(EXECUTABLE) || !existsSync(BUILD_RECORD)) return false
  return isUnchanged(ROOT, JSON.parse(readFileSync(BUILD_RECORD, "utf8")) as Sources)
}

/** A new data folder and a settings file. */
export interface Installation extends Disposable {
  readonly data: string
  readonly config: string
}

export function createInstallation(yaml: string): Installation {
  const data = mkdtempSync(join(tmpdir(), "tollgate-process-"))
  const config = join(data, "tollgate.yaml")
  writeFileSync(config, yaml)
  return { data, config, [Symbol.dispose]: () => rmSync(data, { recursive: true, force: true }) }
}

/**
 * Functions are optimized after six times as many calls as normally. A gateway of a test runs for seconds, and
 * optimizing its functions takes a sixth of its processor time.
 */
const LATE_OPTIMIZATION: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "6000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "6000",
  BUN_JSC_thresholdForOptimizeSoon: "6000",
}

/** An environment in which no vendor is switched on by the variables of the person that runs the tests. */
export function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
    ...LATE_OPTIMIZATION,
    ...extra,
  }
}

function bareEnvironment(extra: Record<string, string>): Record<string, string> {
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: _, ...bare } = cleanEnvironment(extra)
  return bare
}

/** Commands that serve or start other processes. All other commands run in the process of the test. */
const OWN_PROCESS: readonly string[] = ["serve", "drill"]

interface FinishedCommand {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of the CLI to its end. */
export function runCommand(
  installation: Installation,
  ...words: string[]
): Promise<FinishedCommand> {
  return runCommandIn({}, installation, ...words)
}

/** Runs a command of the CLI to its end with additional environment variables. */
export function runCommandIn(
  environment: Record<string, string>,
  { config, data }: Installation,
  ...words: string[]
): Promise<FinishedCommand> {
  const all = ["--config", config, "--data", data, ...words]
  if (words.some((word) => OWN_PROCESS.includes(word))) return runProcess(environment, all)
  const run = previousCommand.then(() => runInProcess(environment, all))
  previousCommand = run.catch(() => {})
  return run
}

/** The previous command. Commands run one after another, because the environment belongs to the whole process. */
let previousCommand: Promise<unknown> = Promise.resolve()

async function runInProcess(
  environment: Record<string, string>,
  words: readonly string[],
): Promise<FinishedCommand> {
  const terminal = new FakeTerminal()
  const own = process.env
  const { TMPDIR } = own
  process.env = cleanEnvironment({ ...(TMPDIR !== undefined && { TMPDIR }), ...environment })
  try {
    const exitCode = await runCli(["bun", "tollgate", ...words], terminal)
    return { exitCode, stdout: terminal.output, stderr: terminal.notices }
  } finally {
    process.env = own
  }
}

async function runProcess(
  environment: Record<string, string>,
  words: readonly string[],
): Promise<FinishedCommand> {
  const child = Bun.spawn([...PROGRAM.words, ...words], {
    env: cleanEnvironment({ ...PROGRAM.environment, ...environment }),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, stdout, stderr }
}

/** Runs a command with `--json` and returns its output. @throws when it fails. */
export async function runJson<T>(installation: Installation, ...words: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runCommand(installation, "--json", ...words)
  if (exitCode !== 0) throw new Error(`tollgate ${words.join(" ")} failed: ${stdout}${stderr}`)
  return JSON.parse(stdout) as T
}

/** A running `tollgate serve`. */
export interface ServingProcess extends AsyncDisposable {
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">
  readonly url: string
  /** Returns everything that the process has written to standard output so far. */
  output(): string
  /** Returns everything that the process has written to standard error so far, which is the log. */
  errors(): string
}

/**
 * Starts `tollgate serve`, and waits until it reports its address.
 * @param launcher a command that starts it. Variables that the launcher sets itself are removed.
 */
export function startServing(
  installation: Installation,
  environment: Record<string, string> = {},
  launcher?: "src/main.ts" | "bin/tollgate",
  options: readonly string[] = [],
): Promise<ServingProcess> {
  const { config, data } = installation
  const words = ["--config", config, "--data", data, "serve", ...options]
  if (launcher === undefined) return startCommand(words, environment)
  const program = join(ROOT, launcher)
  const isSource = launcher === "src/main.ts"
  return startListening(
    [...(isSource ? [process.execPath] : []), program, ...words],
    bareEnvironment(environment),
  )
}

/** Starts a command that serves, such as `tollgate demo`, with only the given arguments. */
export function startCommand(
  words: readonly string[],
  environment: Record<string, string>,
): Promise<ServingProcess> {
  return startListening(
    [...PROGRAM.words, ...words],
    cleanEnvironment({ ...PROGRAM.environment, ...environment }),
  )
}

/**
 * Starts a program that serves, with a complete environment.
 * @param folder the folder in which the program is started.
 */
export async function startListening(
  command: readonly string[],
  environment: Record<string, string>,
  folder?: string,
): Promise<ServingProcess> {
  const child = Bun.spawn([...command], {
    ...(folder !== undefined && { cwd: folder }),
    env: environment,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  let output = ""
  let errors = ""
  const ready = Promise.withResolvers<string>()
  const reading = [
    collect(child.stdout, (text) => {
      output += text
      const url = /(?:listening on |"url": ")(http:\/\/[^\s"]+)/.exec(output)?.[1]
      const isWhole = output.includes("\n\n") || output.endsWith("\n}\n")
      if (url !== undefined && isWhole) ready.resolve(url)
    }),
    collect(child.stderr, (text) => {
      errors += text
    }),
  ]
  void Promise.all(reading).then(() =>
    ready.reject(new Error(`it ended before it was ready: ${output}${errors}`)),
  )
  return {
    process: child,
    url: await ready.promise,
    output: () => output,
    errors: () => errors,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      // A failed test may have left the process stopped. It would then never end.
      child.kill("SIGCONT")
      await child.exited
    },
  }
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}
