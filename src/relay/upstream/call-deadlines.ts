import { GatewayError } from "../../canon/errors.ts"
import type { ListNode } from "../../canon/linked-list.ts"
import type { TimeoutSettings } from "../../config/settings.ts"
import { CallEnded, type CallFailure, type EndReason } from "../lifetime/call-failure.ts"
import { ConnectionError, type ConnectionPhase } from "../../wire/http/connection-error.ts"
import type { DeadlineWatch, WatchedDeadline } from "../lifetime/deadline-watch.ts"

type Phase = "connect" | "firstByte" | "idle"

/** An upstream call with deadlines. */
export interface TimedCall {
  readonly provider: string
  /** Start time of the call, as returned by `performance.now()`. */
  readonly startedAt: number
  /** The number of the request in the event-loop monitor. */
  readonly work: number
  /** Whether the connection is established. It is also true before a connection is requested. */
  readonly isConnected: boolean
  end(failure: CallFailure): void
}

/** The start times from which the deadlines of a call are calculated. */
export interface Timing {
  readonly timeouts: TimeoutSettings
  /** Start time of the request, as returned by `performance.now()`. */
  readonly begunAt: number
  readonly watch: DeadlineWatch
}

/** Ends one upstream call when it exceeds a deadline. The object must be disposed of when the response has ended. */
export class CallDeadlines implements WatchedDeadline, Disposable {
  readonly #call: TimedCall
  readonly #settings: TimeoutSettings
  readonly #watch: DeadlineWatch
  /** The deadline of the whole call, on the clock of `performance.now()`. */
  #endsAt: number
  /** The reason why the call is ended, if it is not a failure. */
  #endReason: EndReason | undefined
  #phase: Phase = "connect"
  dueAt: number
  node: ListNode<WatchedDeadline> | undefined = undefined

  constructor(call: TimedCall, { timeouts, begunAt, watch }: Timing) {
    const { connect, firstByte, total } = timeouts
    this.#call = call
    this.#settings = timeouts
    this.#watch = watch
    // All attempts of a request share the time limit of the request.
    this.#endsAt = begunAt + total
    this.dueAt = Math.min(call.startedAt + Math.min(connect, firstByte), this.#endsAt)
    watch.monitor.turnTo(call.work, 1)
    watch.add(this)
  }

  /** Records that status and headers have arrived. */
  answered(): void {
    this.#watch.monitor.turnTo(this.#call.work, 2)
    this.#phase = "firstByte"
    this.resume()
  }

  /** Records that bytes have arrived, which restarts the deadline between bytes. */
  received(): void {
    this.#watch.monitor.turnTo(this.#call.work, 2)
    this.#phase = "idle"
    this.resume()
  }

  /** Pauses the deadline until the next read, because the caller reads slowly. */
  pause(): void {
    this.#phase = "idle"
    this.dueAt = this.#endsAt
  }

  /** Restarts the deadline, because a read waits for the upstream. */
  resume(): void {
    const due =
      this.#phase === "idle"
        ? performance.now() + this.#settings.idle
        : this.#call.startedAt + this.#settings.firstByte
    this.dueAt = Math.min(due, this.#endsAt)
  }

  /**
   * Waits only for the end of a response that is complete.
   * @param due time at which the wait ends, as returned by `performance.now()`.
   */
  awaitEnd(due: number): void {
    this.dueAt = Math.min(due, this.#endsAt)
  }

  /** Ends the call after this number of milliseconds, unless it has already ended. */
  endIn(time: number, reason: EndReason): void {
    const end = performance.now() + time
    if (end >= this.#endsAt) return
    this.#endsAt = end
    this.#endReason = reason
    this.dueAt = Math.min(this.dueAt, end)
  }

  onDue(now: number): void {
    const call = this.#call
    if (now >= this.#endsAt) {
      if (this.#endReason) return call.end(new CallEnded(this.#endReason))
      return this.#late("the whole response", "total")
    }
    if (this.#phase === "idle") return this.#late("the next bytes", "idle")
    if (now >= call.startedAt + this.#settings.firstByte) {
      return this.#late("the first byte of its response", "first_byte")
    }
    if (call.isConnected) return this.resume()
    call.end(
      new GatewayError(
        "upstream_timeout",
        `Provider '${call.provider}' cannot be reached. Try again later.`,
        { cause: timedOut("connect", "the connection") },
      ),
    )
  }

  onCut(reason: CallEnded): void {
    this.#call.end(reason)
  }

  [Symbol.dispose](): void {
    this.#watch.remove(this)
  }

  #late(what: string, phase: ConnectionPhase): void {
    this.#call.end(
      new GatewayError(
        "upstream_timeout",
        `Provider '${this.#call.provider}' did not send ${what} in time. Try again, or ask the operator for longer timeouts.`,
        { cause: timedOut(phase, what) },
      ),
    )
  }
}

function timedOut(phase: ConnectionPhase, what: string): ConnectionError {
  return new ConnectionError(phase, "ETIMEDOUT", `its timeout for ${what} has passed`)
}
