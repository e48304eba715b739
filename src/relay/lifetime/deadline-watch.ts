import { LinkedList, type ListNode } from "../../canon/linked-list.ts"
import type { CallEnded } from "./call-failure.ts"
import { EventLoopMonitor } from "./event-loop-monitor.ts"

/** Interval of the checks: deadlines are seconds long, so a coarse check is enough. */
const CHECK_INTERVAL_MS = 100

/** Something that has to act at a point in time. */
export interface WatchedDeadline {
  /** When `onDue` is called, by `performance.now()`. Moving it between checks costs nothing. */
  dueAt: number
  /** Its node in the list of watched deadlines; used by the watch. */
  node: ListNode<WatchedDeadline> | undefined
  onDue(now: number): void
  /** Called when the gateway shuts down and waits no longer. */
  onCut?(reason: CallEnded): void
}

/**
 * One timer for all deadlines. A timer for each byte of each stream would cost more than the bytes; here, moving a
 * deadline is one assignment. Uses the monotonic clock, so clock changes have no effect.
 */
export class DeadlineWatch implements Disposable {
  readonly monitor: EventLoopMonitor
  readonly #watched = new LinkedList<WatchedDeadline>()
  readonly #timer: ReturnType<typeof setInterval>
  #cutBy: CallEnded | undefined

  /** @param monitor counts the checks; a thread reads the count to detect a blocked event loop. */
  constructor(monitor = new EventLoopMonitor()) {
    this.monitor = monitor
    this.#timer = setInterval(() => this.#look(performance.now()), CHECK_INTERVAL_MS)
    this.#timer.unref()
  }

  add(watched: WatchedDeadline): void {
    watched.node ??= this.#watched.add(watched)
    if (this.#cutBy) watched.onCut?.(this.#cutBy)
  }

  remove(watched: WatchedDeadline): void {
    if (watched.node) this.#watched.remove(watched.node)
    watched.node = undefined
  }

  /** Ends everything that runs, and everything that still starts. */
  cut(reason: CallEnded): void {
    this.#cutBy = reason
    for (const watched of this.#watched) watched.onCut?.(reason)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.monitor.rest()
    for (const watched of this.#watched) this.remove(watched)
  }

  #look(now: number): void {
    this.monitor.beat()
    for (const watched of this.#watched) if (watched.dueAt <= now) watched.onDue(now)
  }
}
