import { writeSync } from "node:fs"
import { type EventLoopReading, readEventLoop } from "../relay/lifetime/event-loop-monitor.ts"
import { kernelState } from "./kernel-state.ts"
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
/** Number of missed intervals that indicates that this thread did not run either, because the machine was asleep. */
const MISSED_CHECKS_OF_SLEEP = 3
const STANDARD_ERROR = 2
/** The name of the logger's message field. */
const MESSAGE = "msg"

declare const self: Worker

self.addEventListener("message", ({ data }: MessageEvent<WatchdogCommand>) => {
  const every = Math.min(MAX_CHECK_INTERVAL_MS, data.timeoutMs / 4)
  const watch = new Watch(data, every)
  setInterval(() => watch.check(performance.now()), every)
})

/**
 * Checks that the event loop runs. Reports and ends a process whose loop is blocked for too long.
 */
class Watch {
  readonly #command: WatchdogCommand
  readonly #every: number
  #checkedAt = performance.now()
  #beats = -1
  #stillSince = this.#checkedAt
  #isWaitingForDisk = false

  constructor(command: WatchdogCommand, every: number) {
    this.#command = command
    this.#every = every
  }

  check(now: number): void {
    const reading = readEventLoop(this.#command.memory)
    const wasAsleep = now - this.#checkedAt > MISSED_CHECKS_OF_SLEEP * this.#every
    this.#checkedAt = now
    if (wasAsleep || reading.rests || reading.beats !== this.#beats) {
      this.#beats = reading.beats
      this.#stillSince = now
      this.#isWaitingForDisk = false
      return
    }
    if (now - this.#stillSince >= this.#command.timeoutMs) this.#end(reading, now)
  }

  #end(reading: EventLoopReading, now: number): void {
    const { request, endpoint, model, phase } = reading
    const state = kernelState(`self/task/${process.pid}`)
    const found = {
      still_ms: Math.round(now - this.#stillSince),
      state,
      request,
      endpoint,
      model,
      phase,
    }
    if (state === "waits for the disk") {
      // A process that waits for a disk cannot be ended, and a restart would not help.
      if (!this.#isWaitingForDisk) report("loop_waits", found, "event loop waits for the disk")
      this.#isWaitingForDisk = true
      return
    }
    report("loop_stuck", found, "event loop blocked; restarting the process")
    void this.#restart(reading.isEnding)
  }

  async #restart(isEnding: boolean): Promise<void> {
    const { restart } = this.#command
    if (restart && !isEnding) {
      try {
        const { replaceProcess } = await import("./replace-process.ts")
        replaceProcess(restart)
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
