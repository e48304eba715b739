import type { Health } from "../../routing/health.ts"
import type { Router } from "../../routing/route.ts"
import { sentUsage } from "../billing/pending-charge.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import type { Candidate } from "../upstream/attempt.ts"
import { recordUnchargedCalls, type RunningCall } from "./cancellation.ts"
import type { CandidateQueue } from "./candidate-queue.ts"
import { answerHedged, type HedgedAnswer } from "./hedge.ts"
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

/** Calls second deployments if the first deployment is late. */
export class Hedges {
  readonly #health: Health
  readonly #router: Router

  constructor(health: Health, router: Router) {
    this.#health = health
    this.#router = router
  }

  /**
   * Returns the milliseconds after which another deployment is called as well; undefined if hedging is not allowed, or
   * if the usual time of an answer is not known.
   */
  lateAfter<P extends Candidate, T>({
    context,
    trial,
    planned,
  }: FirstAttempt<P, T>): number | undefined {
    const { request, state, featureCosts } = context.charge
    // No second call is made if the request refers to vendor state, which only one provider stores, or uses tools of a
    // vendor, which must not run twice.
    if (state !== undefined || featureCosts !== undefined) return undefined
    if (trial.mayHedge?.(planned) !== true) return undefined
    return this.#router.loadOf(planned.deployment).lateAfter(request?.stream ?? false)
  }

  /**
   * Returns the answer of a candidate, or of another candidate that is also called if the first is late.
   * @throws CallFailure like `answerHedged`.
   */
  async answer<P extends Candidate, T>(
    first: FirstAttempt<P, T>,
    lateAfter: number,
  ): Promise<HedgedAnswer<P, T>> {
    const { context, trial, planned } = first
    const { charge, cancellation } = context
    const earlier = new Set(cancellation.attempts)
    const callsOf = ({ deployment }: P): readonly RunningCall[] =>
      cancellation.attempts.filter(
        (call) => call.plan.deployment === deployment && !earlier.has(call),
      )
    const answered = await answerHedged(planned, {
      lateAfter,
      attempt: (plan) => trial.attempt(plan),
      second: () => this.#second(first, callsOf(planned)),
      giveUp: (loser) => {
        const calls = callsOf(loser)
        cancellation.giveUp(loser)
        // A call that the vendor rejected has cost nothing.
        for (const call of calls) if (call.ended === undefined) call.giveUp(sentUsage(charge))
        remove(cancellation.attempts, new Set(calls))
      },
      lost: (loser) => recordUnchargedCalls(charge, callsOf(loser)),
    })
    // The attempt that determined how the request ended must be the last one.
    const records = new Set<AttemptRecord>(callsOf(answered.plan).map(({ record }) => record))
    charge.attempts.push(...remove(charge.attempts, records))
    trial.taken?.(answered.answer)
    return answered
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
    if (!this.#router.loadOf(planned.deployment).takeHedge()) return undefined
    try {
      const second = await trial.plan(candidate)
      if (trial.mayHedge?.(second) !== true) return undefined
      queue.exclude(candidate)
      this.#health.attempted(candidate.deployment.id)
      return second
    } catch {
      // If the candidate cannot be called, the error is reported later, when it is tried.
      return undefined
    }
  }
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
