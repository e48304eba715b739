import { EventLoopMonitor } from "../relay/lifetime/event-loop-monitor.ts"
import { threadAddress } from "../runtime.ts"
import type { ProcessStart } from "./replace-process.ts"
import type { WatchdogCommand } from "./watchdog-thread.ts"

/** Delay of the thread's start, so that it does not slow down the first requests. */
const START_DELAY_MS = 1_000

/**
 * Watches the event loop of this process from a separate thread. A blocked loop is logged, and the
 * process is restarted (docs/contribute/design-notes.md#the-watchdog).
 */
export class Watchdog implements Disposable {
  /** Receives heartbeats while the event loop runs. */
  readonly monitor = new EventLoopMonitor()
  #timer: ReturnType<typeof setTimeout> | undefined
  #thread: Worker | undefined

  /**
   * Starts watching.
   * @param timeoutMs maximum time that the loop may hang; 0 for no limit.
   * @param restart the command that restarts the process; absent if its parent restarts it.
   */
  start(timeoutMs: number, restart: ProcessStart | undefined): void {
    if (timeoutMs === 0) return
    const command: WatchdogCommand = { memory: this.monitor.memory, timeoutMs, restart }
    this.#timer = setTimeout(() => {
      this.#thread = new Worker(threadAddress("cli/watchdog-thread.ts"))
      this.#thread.postMessage(command)
      this.#thread.unref()
    }, START_DELAY_MS)
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#thread?.terminate()
  }
}
