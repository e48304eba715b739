import type { Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import { type PendingCharge, sentUsage } from "../billing/pending-charge.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import type { ListNode } from "../../canon/linked-list.ts"
import type { Caller } from "../request/call.ts"
import type { DeadlineWatch, WatchedDeadline } from "../lifetime/deadline-watch.ts"
import { CallEnded, type CallFailure, isCallerGone } from "../lifetime/call-failure.ts"
import type { DrainRule } from "../request/runtime-config.ts"

/** Most answers end before it is worth checking whether their caller is still connected. Milliseconds. */
const ASK_AFTER = 50

/** An upstream call in progress. */
export interface RunningCall extends Disposable {
  readonly plan: { readonly deployment: Deployment }
  readonly record: AttemptRecord
  /** Whether its provider has not reported the usage and may bill more than the received part of the answer. */
  readonly hasUnknownUsage: boolean
  /** The reason for its end; undefined while it runs. */
  readonly ended: CallFailure | undefined
  end(failure: CallFailure): void
  /** Ends the call because another call has answered the request. */
  giveUp(sent: Usage): void
  /** Records that it failed and is not charged. */
  lost(sent: Usage): void
}

/** The calls of a plan, and a promise that resolves when all have ended. */
interface OtherCalls {
  calls(): readonly RunningCall[]
  readonly over: Promise<unknown>
}

/**
 * Ends the upstream calls of a request when its caller leaves. The server keeps it as long as the connection, so it
 * refers to the running calls and to nothing else of the request.
 */
export class Cancellation implements WatchedDeadline, Disposable {
  readonly attempts: RunningCall[] = []
  #givenUp: WeakSet<object> | undefined
  readonly work: number
  /** Calls that continue after a parallel call failed. */
  #others: OtherCalls[] = []
  #hasLeft = false
  dueAt = performance.now() + ASK_AFTER
  node: ListNode<WatchedDeadline> | undefined = undefined
  readonly #watch: DeadlineWatch
  readonly #drain: DrainRule | undefined
  #caller: Caller | undefined
  /** Called when the caller has left and the answer is read on. */
  onLeave: (() => void) | undefined

  /**
   * @param work the number of the request in the event-loop monitor.
   * @param drain when its answer is drained after its caller has left; undefined: never.
   */
  constructor(caller: Caller, watch: DeadlineWatch, work: number, drain: DrainRule | undefined) {
    this.#caller = caller
    this.work = work
    this.#watch = watch
    this.#drain = drain
    watch.add(this)
  }

  onDue(): void {
    // It was drained for as long as the settings allow.
    if (this.#hasLeft) return this.end(new CallEnded("caller_left"))
    const signal = this.#caller?.signal
    this.#stopAsking()
    if (signal?.aborted) this.leave()
    else signal?.addEventListener("abort", () => this.leave())
  }

  /** Makes no further call for a plan: another plan's answer has made it superfluous. */
  giveUp(plan: object): void {
    this.#givenUp ??= new WeakSet()
    this.#givenUp.add(plan)
  }

  hasGivenUp(plan: object): boolean {
    return this.#givenUp?.has(plan) === true
  }

  /** Whether the upstream calls are drained after the caller has left. */
  get drains(): boolean {
    return this.#drain !== undefined && this.attempts.some((call) => isDrained(call, this.#drain))
  }

  /** The caller has left. */
  leave(): void {
    if (this.#hasLeft) return
    if (!this.drains) return this.end(new CallEnded("caller_left"))
    this.#hasLeft = true
    this.#stopAsking()
    this.dueAt = performance.now() + (this.#drain?.limitMs ?? 0)
    this.#watch.add(this)
    this.onLeave?.()
  }

  /** Whether the caller has left, as far as known. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Keeps parallel calls running after one has failed, until the outcome of the request is known. */
  leaveRunning(others: OtherCalls): void {
    this.#others.push(others)
  }

  /** Cancels the remaining calls, because the request has another answer. */
  async endOthers(): Promise<void> {
    for (const { calls, over } of this.#others.splice(0)) {
      const ended = new CallEnded("not_needed")
      for (const call of calls()) call.end(ended)
      await over
      for (const call of calls()) call[Symbol.dispose]()
    }
  }

  /** Waits for the remaining calls of a failed request, since their provider completes and bills them. */
  async othersOver(): Promise<void> {
    for (const { over } of this.#others.splice(0)) await over
  }

  /** Ends the upstream calls. */
  end(failure: CallFailure): void {
    if (isCallerGone(failure)) this.#hasLeft = true
    this.#stopAsking()
    for (const attempt of this.attempts) {
      attempt.end(failure)
      attempt[Symbol.dispose]()
    }
  }

  /** Called when the answer has ended. */
  [Symbol.dispose](): void {
    this.#stopAsking()
    this.onLeave = undefined
    this.attempts.length = 0
  }

  #stopAsking(): void {
    this.#caller = undefined
    this.#watch.remove(this)
  }
}

/** Records the calls as uncharged: their provider cost is the operator's. */
export function recordUnchargedCalls(charge: PendingCharge, calls: readonly RunningCall[]): void {
  if (calls.length === 0) return
  const sent = sentUsage(charge)
  for (const call of calls) call.lost(sent)
}

/** Whether a call is drained for its usage. */
export function isDrained(
  { hasUnknownUsage }: Pick<RunningCall, "hasUnknownUsage">,
  drain: DrainRule | undefined,
): boolean {
  if (drain?.when === "if-billed") return hasUnknownUsage
  return drain?.when === "always"
}
