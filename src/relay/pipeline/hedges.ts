import { GatewayError } from "../../canon/errors.ts"
import type { Health } from "../../routing/health.ts"
import type { Router } from "../../routing/route.ts"
import { sentUsage } from "../billing/pending-charge.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import {
  asCallFailure,
  CallEnded,
  type CallFailure,
  endsFailover,
} from "../lifetime/call-failure.ts"
import type { Candidate } from "../upstream/attempt.ts"
import { recordUnchargedCalls, type RunningCall } from "./cancellation.ts"
import type { CandidateQueue } from "./candidate-queue.ts"
import type { RequestContext } from "./request-context.ts"
import type { Trial } from "./trial.ts"

/** A request before its first candidate is called. */
export interface FirstAttempt<P extends Candidate, T> {
  readonly context: RequestContext
  readonly trial: Trial<P, T>
  readonly planned: P
  /** The other candidates. */
  readonly queue: CandidateQueue
}

/** Whether a second deployment is called if the first is late. */
export function hedges({ charge, config }: RequestContext): boolean {
  return charge.model.hedge ?? config.routing.hedge
}

/** A response, and the plan whose call returned it. */
export interface HedgedResponse<P extends Candidate, T> {
  readonly plan: P
  readonly response: T
}

type Outcome<P extends Candidate, T> =
  | HedgedResponse<P, T>
  | { readonly plan: P; readonly failure: CallFailure }

/** Calls second deployments if the first deployment is late. */
export class Hedges {
  readonly #routing: { readonly health: Health; readonly router: Router }

  constructor(routing: { readonly health: Health; readonly router: Router }) {
    this.#routing = routing
  }

  /**
   * Returns the milliseconds after which another deployment is called as well; undefined if hedging is not allowed, or
   * if the usual time of a response is not known.
   */
  lateAfter<P extends Candidate, T>({
    context,
    trial,
    planned,
  }: FirstAttempt<P, T>): number | undefined {
    const { request, state, featureCosts } = context.charge
    // No second call is made if the request refers to vendor state, because only one provider stores it. No second call
    // is made if the request uses a vendor's tools, because they must not run twice.
    if (state !== undefined || featureCosts !== undefined) return undefined
    if (trial.mayHedge?.(planned) !== true) return undefined
    return this.#routing.router.loadOf(planned.deployment).lateAfter(request?.stream ?? false)
  }

  /**
   * Returns the response of a candidate, or of another candidate that is also called if the first is late. The other
   * call is then ended.
   * @param lateAfter milliseconds after which the first call is late.
   * @throws CallFailure if both calls have failed, or if the first call was rejected for a reason that ends the
   * request.
   */
  async respond<P extends Candidate, T>(
    first: FirstAttempt<P, T>,
    lateAfter: number,
  ): Promise<HedgedResponse<P, T>> {
    const { context, trial } = first
    const { charge } = context
    const calls = new PlanCalls(context)
    const answered = await this.#race(first, calls, lateAfter)
    // The attempt that determined how the request ended must be the last one.
    const records = new Set<AttemptRecord>(calls.of(answered.plan).map(({ record }) => record))
    charge.attempts.push(...remove(charge.attempts, records))
    trial.taken?.(answered.response)
    return answered
  }

  async #race<P extends Candidate, T>(
    attempt: FirstAttempt<P, T>,
    calls: PlanCalls,
    lateAfter: number,
  ): Promise<HedgedResponse<P, T>> {
    const { trial, planned: first } = attempt
    const running = outcomeOf(trial, first)
    const isWaiting = await isLate(running, lateAfter)
    const second = isWaiting ? await this.#second(attempt, calls.of(first)) : undefined
    if (second === undefined) return responseIn(await running)
    const helping = outcomeOf(trial, second)
    const earlier = await Promise.race([running, helping])
    const other = earlier.plan === first ? second : first
    if (!("failure" in earlier)) {
      calls.giveUp(other)
      return earlier
    }
    if (earlier.plan === first && lacksMemory(earlier.failure)) {
      const response = await helping
      if ("failure" in response)
        throw response.failure instanceof CallEnded ? response.failure : earlier.failure
      calls.lose(first)
      return response
    }
    // A final failure of the second call does not end the first call, because the caller did not request the second
    // call.
    if (earlier.plan === first && endsFailover(earlier.failure)) {
      // The request has ended, and with it both calls. The caller of this function charges their counted usage.
      if (earlier.failure instanceof CallEnded) await helping
      else calls.giveUp(second)
      throw earlier.failure
    }
    calls.lose(earlier.plan)
    return responseIn(await (other === first ? running : helping))
  }

  /** Takes a candidate for a call in parallel with a late one; undefined if no candidate may be called. */
  async #second<P extends Candidate, T>(
    { context, trial, planned, queue }: FirstAttempt<P, T>,
    calls: readonly RunningCall[],
  ): Promise<P | undefined> {
    const hasBegun = calls.some(({ record, ended }) => ended === undefined && record.status !== 0)
    if (hasBegun || context.cancellation.hasLeft) return undefined
    const candidate = queue.hedgeCandidate(planned.deployment)
    if (candidate === undefined) return undefined
    if (!this.#routing.router.loadOf(planned.deployment).takeHedge()) return undefined
    try {
      const second = await trial.plan(candidate)
      if (trial.mayHedge?.(second) !== true) return undefined
      queue.exclude(candidate)
      this.#routing.health.attempted(candidate.deployment.id)
      return second
    } catch {
      // If the candidate cannot be called, the error is reported later, when it is tried.
      return undefined
    }
  }
}

/** The calls of a request's plans that were made after the first candidate was planned. */
class PlanCalls {
  readonly #context: RequestContext
  readonly #earlier: ReadonlySet<RunningCall>

  constructor(context: RequestContext) {
    this.#context = context
    this.#earlier = new Set(context.cancellation.attempts)
  }

  of({ deployment }: Candidate): readonly RunningCall[] {
    return this.#context.cancellation.attempts.filter(
      (call) => call.plan.deployment === deployment && !this.#earlier.has(call),
    )
  }

  /** Ends the calls of a plan because a call of another plan has responded. */
  giveUp(loser: Candidate): void {
    const { charge, cancellation } = this.#context
    const calls = this.of(loser)
    cancellation.giveUp(loser)
    // A call that the vendor rejected has cost nothing.
    for (const call of calls) if (call.ended === undefined) call.giveUp(sentUsage(charge))
    remove(cancellation.attempts, new Set(calls))
  }

  /** Records that the calls of a plan have failed and are not charged. */
  lose(loser: Candidate): void {
    recordUnchargedCalls(this.#context.charge, this.of(loser))
  }
}

/** Returns the outcome of a call. It never rejects, because one of two calls may fail before its promise is awaited. */
function outcomeOf<P extends Candidate, T>(trial: Trial<P, T>, plan: P): Promise<Outcome<P, T>> {
  return trial.attempt(plan).then(
    (response) => ({ plan, response }),
    (thrown: unknown) => ({ plan, failure: asCallFailure(thrown) }),
  )
}

/**
 * Whether a call failed because there was no memory for its response. Its memory has been released, so another response
 * may fit.
 */
function lacksMemory(failure: CallFailure): boolean {
  return failure instanceof GatewayError && failure.details.lacksMemory === true
}

function responseIn<P extends Candidate, T>(outcome: Outcome<P, T>): HedgedResponse<P, T> {
  if ("failure" in outcome) throw outcome.failure
  return outcome
}

/**
 * Whether a call is still running after a time.
 * @param after milliseconds.
 */
async function isLate(running: Promise<unknown>, after: number): Promise<boolean> {
  const late = Promise.withResolvers<true>()
  using _ = setTimeout(late.resolve, after, true)
  return (await Promise.race([running, late.promise])) === true
}

/**
 * Removes members from a list.
 * @returns the removed members.
 */
function remove<T>(list: T[], members: ReadonlySet<T>): T[] {
  const found = list.filter((member) => members.has(member))
  const others = list.filter((member) => !members.has(member))
  list.splice(0, list.length, ...others)
  return found
}
