import { writeSync, readFileSync } from "node:fs"
import { type EventLoopReading, readEventLoop } from "../relay/lifetime/event-loop-monitor.ts"
import { EventLoopWatch } from "./event-loop-watch.ts"
import type { ProcessStart } from "./replace-process.ts"

/** The parameters of the watchdog thread. */
export interface WatchdogCommand {
  readonly memory: SharedArrayBuffer
  /** Maximum time that the event loop may hang. */
  readonly timeoutMs: number
  /** The command for restarting the process; absent if a parent restarts it. */
  readonly restart: ProcessStart | undefined
}

const MAX_CHECK_INTERVAL_MS = 1_000
const STANDARD_ERROR = 2
/** The name of the logger's message field. */
const MESSAGE = "msg"

declare const self: Worker

self.addEventListener("message", ({ data }: MessageEvent<WatchdogCommand>) => {
  const { memory, timeoutMs, restart } = data
  const intervalMs = Math.min(MAX_CHECK_INTERVAL_MS, timeoutMs / 4)
  const watch = new EventLoopWatch(timeoutMs, intervalMs, performance.now())
  const blocked = new BlockedLoop(restart)
  setInterval(() => {
    const reading = readEventLoop(memory)
    const stillMs = watch.check(reading, performance.now())
    if (stillMs > 0) blocked.report(reading, stillMs)
    else blocked.isWaitingForDisk = false
  }, intervalMs)
})

/** Reports and ends a process whose event loop is blocked for too long. */
class BlockedLoop {
  isWaitingForDisk = false
  readonly #restartCommand: ProcessStart | undefined

  constructor(restartCommand: ProcessStart | undefined) {
    this.#restartCommand = restartCommand
  }

  report(reading: EventLoopReading, stillMs: number): void {
    const { request, endpoint, model, phase } = reading
    const state = kernelState(`self/task/${process.pid}`)
    const found = { still_ms: Math.round(stillMs), state, request, endpoint, model, phase }
    if (state === "waits for the disk") {
      // A process that waits for a disk cannot be ended, and a restart would not help.
      if (!this.isWaitingForDisk) report("loop_waits", found, "event loop waits for the disk")
      this.isWaitingForDisk = true
      return
    }
    report("loop_stuck", found, "event loop blocked; restarting the process")
    void this.#restart(reading.isEnding)
  }

  async #restart(isEnding: boolean): Promise<void> {
    if (this.#restartCommand && !isEnding) {
      try {
        const { replaceProcess } = await import("./replace-process.ts")
        replaceProcess(this.#restartCommand)
      } catch (error) {
        report(
          "restart_failed",
          { error: String(error) },
          "restart failed; start the process again",
        )
      }
    }
    process.kill(process.pid, "SIGKILL")
  }
}

/** Writes a log line in the logger's format. The logger itself is on the blocked thread. */
function report(event: string, facts: object, message: string): void {
  const line = JSON.stringify({ level: 60, time: Date.now(), event, ...facts, [MESSAGE]: message })
  writeSync(STANDARD_ERROR, `${line}\n`)
}

/** The kernel's state of a process or a thread; always `unknown` except on Linux. */
type KernelState = "computes" | "waits" | "waits for the disk" | "stopped" | "unknown"

const STATES: Readonly<Record<string, KernelState>> = {
  R: "computes",
  S: "waits",
  D: "waits for the disk",
  T: "stopped",
  t: "stopped",
}

/**
 * Returns the state of a process or thread.
 * @param place its path under `/proc`.
 */
function kernelState(place: string): KernelState {
  try {
    const stat = readFileSync(`/proc/${place}/stat`, "latin1")
    // The state follows the last parenthesis. The name in parentheses may contain any characters.
    return STATES[stat.charAt(stat.lastIndexOf(")") + 2)] ?? "unknown"
  } catch {
    return "unknown"
  }
}
