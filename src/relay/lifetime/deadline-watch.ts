import { LinkedList, type ListNode } from "../../canon/linked-list.ts"
import type { CallEnded } from "./call-failure.ts"
import { EventLoopMonitor } from "./event-loop-monitor.ts"

/** Interval of the checks. It is coarse, because deadlines are several seconds long. */
const CHECK_INTERVAL_MS = 100

/** An object that must act at a certain time. */
export interface WatchedDeadline {
  /**
   * Time at which `onDue` is called, on the clock of `performance.now()`. It can be changed between checks without
   * cost.
   */
  dueAt: number
  /** The node of this deadline in the list of all deadlines; set and read only by the watch. */
  node: ListNode<WatchedDeadline> | undefined
  onDue(now: number): void
  /** Called if the gateway shuts down and no longer waits for running requests. */
  onCut?(reason: CallEnded): void
}

/**
 * Watches all deadlines with one timer. A timer for each byte of each stream would cost more than the bytes themselves.
 * Moving a deadline is only an assignment. The clock is monotonic, so changes to the system time have no effect.
 */
export class DeadlineWatch implements Disposable {
  readonly monitor: EventLoopMonitor
  readonly #watched = new LinkedList<WatchedDeadline>()
  readonly #timer: ReturnType<typeof setInterval>
  #cutBy: CallEnded | undefined

  /** @param monitor counts the checks. Another thread reads the count to detect a blocked event loop. */
  constructor(monitor = new EventLoopMonitor()) {
    this.monitor = monitor
    this.#timer = setInterval(() => this.#check(performance.now()), CHECK_INTERVAL_MS)
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

  /** Ends all running work, and all work that starts later. */
  cut(reason: CallEnded): void {
    this.#cutBy = reason
    for (const watched of this.#watched) watched.onCut?.(reason)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.monitor.rest()
    for (const watched of this.#watched) this.remove(watched)
  }

  #check(now: number): void {
    this.monitor.beat()
    for (const watched of this.#watched) if (watched.dueAt <= now) watched.onDue(now)
  }
}
