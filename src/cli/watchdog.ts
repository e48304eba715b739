import { EventLoopMonitor } from "../relay/lifetime/event-loop-monitor.ts"
import { threadAddress } from "../runtime.ts"
import type { ProcessStart } from "./replace-process.ts"
import type { WatchdogCommand } from "./watchdog-thread.ts"

/** Nothing that makes a start longer is done before the first requests are served, milliseconds. */
const START_AFTER = 1_000

/**
 * Watches the event loop of this process from a separate thread. A loop that hangs is logged, and the process
 * is restarted (docs/decisions/0018-watchdog.md).
 */
export class Watchdog implements Disposable {
  /** Beats while the loop turns. */
  readonly monitor = new EventLoopMonitor()
  #timer: ReturnType<typeof setTimeout> | undefined
  #thread: Worker | undefined

  /**
   * Starts watching.
   * @param patience how long the loop may hang, milliseconds; 0: forever.
   * @param restart how this process restarts; absent where its parent does that.
   */
  start(patience: number, restart: ProcessStart | undefined): void {
    if (patience === 0) return
    const command: WatchdogCommand = { memory: this.monitor.memory, patience, restart }
    this.#timer = setTimeout(() => {
      this.#thread = new Worker(threadAddress("cli/watchdog-thread.ts"))
      this.#thread.postMessage(command)
      this.#thread.unref()
    }, START_AFTER)
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#thread?.terminate()
  }
}
