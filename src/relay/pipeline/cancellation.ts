import type { Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import { type PendingCharge, sentUsage } from "../billing/pending-charge.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import type { ListNode } from "../../canon/linked-list.ts"
import type { Caller } from "../request/call.ts"
import type { DeadlineWatch, WatchedDeadline } from "../lifetime/deadline-watch.ts"
import { CallEnded, type CallFailure, isCallerGone } from "../lifetime/call-failure.ts"
import type { DrainRule } from "../request/runtime-config.ts"

/** Delay before the first check that the caller is still connected. Most responses end earlier. */
const ASK_AFTER = 50

/** An upstream call that is in progress. */
export interface RunningCall extends Disposable {
  readonly plan: { readonly deployment: Deployment }
  readonly record: AttemptRecord
  /** Whether the provider has not reported the usage and may bill more than the received part of the response. */
  readonly hasUnknownUsage: boolean
  /** The failure that ended the call; undefined while the call runs, and after it succeeded. */
  readonly ended: CallFailure | undefined
  end(failure: CallFailure): void
  /** Ends the call because another call has returned the response. */
  giveUp(sent: Usage): void
  /** Records that the call failed and is not charged. */
  lost(sent: Usage): void
}

/** The calls of a plan, and a promise that resolves when all have ended. */
interface OtherCalls {
  calls(): readonly RunningCall[]
  readonly over: Promise<unknown>
}

/**
 * Ends the upstream calls of a request when the caller disconnects. The server keeps this object as long as the
 * connection is open. The object therefore refers to the running calls, but to no other data of the request.
 */
export class Cancellation implements WatchedDeadline, Disposable {
  readonly attempts: RunningCall[] = []
  #givenUp: WeakSet<object> | undefined
  readonly work: number
  /** Calls that still run after a parallel call has failed. */
  #others: OtherCalls[] = []
  #hasLeft = false
  dueAt = performance.now() + ASK_AFTER
  node: ListNode<WatchedDeadline> | undefined = undefined
  readonly #watch: DeadlineWatch
  readonly #drain: DrainRule | undefined
  #caller: Caller | undefined
  /** Called when the caller has disconnected and the gateway continues to read the response. */
  onLeave: (() => void) | undefined

  /**
   * @param work the number of the request in the event-loop monitor.
   * @param drain determines whether the response is drained after the caller has disconnected; undefined means never.
   */
  constructor(caller: Caller, watch: DeadlineWatch, work: number, drain: DrainRule | undefined) {
    this.#caller = caller
    this.work = work
    this.#watch = watch
    this.#drain = drain
    watch.add(this)
  }

  onDue(): void {
    // The time limit for draining has passed.
    if (this.#hasLeft) return this.end(new CallEnded("caller_disconnected"))
    const signal = this.#caller?.signal
    this.#unwatch()
    if (signal?.aborted) this.leave()
    else signal?.addEventListener("abort", () => this.leave())
  }

  /** Makes no further call for a plan, because the response of another plan is used. */
  giveUp(plan: object): void {
    this.#givenUp ??= new WeakSet()
    this.#givenUp.add(plan)
  }

  hasGivenUp(plan: object): boolean {
    return this.#givenUp?.has(plan) === true
  }

  /** Whether the upstream calls are drained after the caller has disconnected. */
  get drains(): boolean {
    return this.#drain !== undefined && this.attempts.some((call) => isDrained(call, this.#drain))
  }

  /** Handles the caller's disconnect. */
  leave(): void {
    if (this.#hasLeft) return
    if (!this.drains) return this.end(new CallEnded("caller_disconnected"))
    this.#hasLeft = true
    this.#unwatch()
    this.dueAt = performance.now() + (this.#drain?.limitMs ?? 0)
    this.#watch.add(this)
    this.onLeave?.()
  }

  /** Whether the caller is known to have disconnected. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Keeps parallel calls running after one of them has failed, until the outcome of the request is known. */
  leaveRunning(others: OtherCalls): void {
    this.#others.push(others)
  }

  /** Cancels the remaining calls, because their responses are no longer needed. */
  async endOthers(): Promise<void> {
    for (const { calls, over } of this.#others.splice(0)) {
      const ended = new CallEnded("not_needed")
      for (const call of calls()) call.end(ended)
      await over
      for (const call of calls()) call[Symbol.dispose]()
    }
  }

  /** Waits for the remaining calls of a failed request, because the provider completes and bills them. */
  async othersOver(): Promise<void> {
    for (const { over } of this.#others.splice(0)) await over
  }

  /** Ends the upstream calls. */
  end(failure: CallFailure): void {
    if (isCallerGone(failure)) this.#hasLeft = true
    this.#unwatch()
    for (const attempt of this.attempts) {
      attempt.end(failure)
      attempt[Symbol.dispose]()
    }
  }

  /** Called when the response has ended. */
  [Symbol.dispose](): void {
    this.#unwatch()
    this.onLeave = undefined
    this.attempts.length = 0
  }

  #unwatch(): void {
    this.#caller = undefined
    this.#watch.remove(this)
  }
}

/** Records calls as not charged. The operator bears their provider cost. */
export function recordUnchargedCalls(charge: PendingCharge, calls: readonly RunningCall[]): void {
  if (calls.length === 0) return
  const sent = sentUsage(charge)
  for (const call of calls) call.lost(sent)
}

/** Whether a call is read to its end for its usage, although the caller needs no further data. */
export function isDrained(
  { hasUnknownUsage }: Pick<RunningCall, "hasUnknownUsage">,
  drain: DrainRule | undefined,
): boolean {
  if (drain?.when === "if-billed") return hasUnknownUsage
  return drain?.when === "always"
}
