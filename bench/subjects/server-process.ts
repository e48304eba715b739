import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onGatewayCore } from "../machine.ts"

// Timeout of a start in milliseconds. The slowest subject takes ten seconds on an idle machine.
const START_TIME = 180_000
const STOP_TIME = 2_000
const POLL_INTERVAL_MS = 2

/** The parameters of a server's start. */
export interface ServerOrder {
  readonly command: readonly string[]
  readonly port: number
  /** A path that returns 200 as soon as the server is ready. */
  readonly healthPath: string
  /** The folder for the server's output. */
  readonly directory: string
  /** Environment variables in addition to `cleanEnvironment`. */
  readonly environment: Readonly<Record<string, string>>
}

/** A started server. */
export interface ServerProcess extends AsyncDisposable {
  readonly process: number
  /** Milliseconds from the start of the process until its first response. */
  readonly startTime: number
  /** Start time on the clock of `performance.now()`. */
  readonly startedAt: number
}

/**
 * Returns the environment variables of this process without the keys and settings of the person who runs the benchmark.
 */
export function cleanEnvironment(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    // By default, Bun sends at most 256 requests at a time, so most of 1,000 streams would wait.
    BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
  }
}

/** Creates a folder. Disposing of the result deletes the folder. */
export function temporaryDirectory(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "tollgate-bench-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Returns a free port. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

/**
 * Starts a server on the gateway's core and waits for its first response.
 * @throws Error with the end of the server's output.
 */
export async function startServer(order: ServerOrder): Promise<ServerProcess> {
  // The output is written outside the settings folder. A gateway watches that folder and would be notified of each
  // line.
  const outputs = join(order.directory, "output")
  mkdirSync(outputs, { recursive: true })
  const log = join(outputs, "output.log")
  const output = openSync(log, "a")
  const startedAt = performance.now()
  const child = Bun.spawn([...onGatewayCore(), ...order.command], {
    cwd: order.directory,
    env: { ...cleanEnvironment(), ...order.environment },
    stdin: "ignore",
    stdout: output,
    stderr: output,
  })
  const stop = async () => {
    child.kill("SIGTERM")
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIME)
    await child.exited
    clearTimeout(timer)
  }
  while (!(await responses(order))) {
    if (child.exitCode !== null || performance.now() - startedAt > START_TIME) {
      await stop()
      const words = readFileSync(log, "utf8").slice(-2_000)
      throw new Error(`${order.command.join(" ")} did not start:\n${words}`)
    }
    await Bun.sleep(POLL_INTERVAL_MS)
  }
  const startTime = performance.now() - startedAt
  return { process: child.pid, startTime, startedAt, [Symbol.asyncDispose]: stop }
}

async function responses(order: ServerOrder): Promise<boolean> {
  try {
    const address = `http://127.0.0.1:${order.port}${order.healthPath}`
    const response = await fetch(address, { keepalive: false })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
