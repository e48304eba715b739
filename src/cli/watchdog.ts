import type { Pulse } from "../relay/pulse.ts"
import { threadAddress } from "../runtime.ts"
import type { ProcessStart } from "./replace-process.ts"
import type { WatchdogOrder } from "./watchdog-thread.ts"

/** Nothing that makes a start longer is done before the first requests are served, milliseconds. */
const START_AFTER = 1_000

export interface WatchdogOptions {
  readonly pulse: Pulse
  /** How long the event loop may stand still, milliseconds; 0: for ever. */
  readonly patience: number
  /** How this process starts again; absent where its parent does that. */
  readonly restart: ProcessStart | undefined
}

/**
 * Watches the event loop of this process from a thread of its own. A loop that stands still is told of in the
 * log, and the process is started again (docs/decisions, 18).
 */
export function startWatchdog({ pulse, patience, restart }: WatchdogOptions): Disposable {
  let thread: Worker | undefined
  const start = (): void => {
    thread = new Worker(threadAddress("cli/watchdog-thread.ts"))
    const order: WatchdogOrder = { memory: pulse.memory, patience, restart }
    thread.postMessage(order)
    thread.unref()
  }
  const timer = patience > 0 ? setTimeout(start, START_AFTER) : undefined
  timer?.unref()
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      thread?.terminate()
    },
  }
}
