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

/** A request before the call of its first candidate. */
export interface FirstAttempt<P extends Candidate, T> {
  readonly context: RequestContext
  readonly trial: Trial<P, T>
  readonly planned: P
  /** The other candidates. */
  readonly queue: CandidateQueue
}

/** Whether a second deployment is asked when the first is late. */
export function hedges({ charge, config }: RequestContext): boolean {
  return charge.model.hedge ?? config.routing.hedge
}

/** Makes second attempts if the first deployment is late. */
export class Hedges {
  readonly #health: Health
  readonly #router: Router

  constructor(health: Health, router: Router) {
    this.#health = health
    this.#router = router
  }

  /**
   * Returns the milliseconds after which another deployment is called as well; undefined if that is not allowed or not
   * known.
   */
  lateAfter<P extends Candidate, T>({
    context,
    trial,
    planned,
  }: FirstAttempt<P, T>): number | undefined {
    const { request, state, featureCosts } = context.charge
    // Vendor state is at one provider, and tools of a vendor must not run twice.
    if (state !== undefined || featureCosts !== undefined) return undefined
    if (trial.mayHedge?.(planned) !== true) return undefined
    return this.#router.loadOf(planned.deployment).lateAfter(request?.stream ?? false)
  }

  /**
   * The answer of a candidate, or of another that is asked as well once it is late.
   * @throws CallFailure as `answerHedged` does.
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
        // A call that its vendor rejected has cost nothing.
        for (const call of calls) if (call.ended === undefined) call.giveUp(sentUsage(charge))
        remove(cancellation.attempts, new Set(calls))
      },
      lost: (loser) => recordUnchargedCalls(charge, callsOf(loser)),
    })
    // The last attempt decides how a request ended.
    const records = new Set<AttemptRecord>(callsOf(answered.plan).map(({ record }) => record))
    charge.attempts.push(...remove(charge.attempts, records))
    trial.taken?.(answered.answer)
    return answered
  }

  /** Takes a candidate for a parallel call while another is late; undefined if no candidate may be called. */
  async #second<P extends Candidate, T>(
    { context, trial, planned, queue }: FirstAttempt<P, T>,
    calls: readonly RunningCall[],
  ): Promise<P | undefined> {
    const hasBegun = calls.some(({ record, ended }) => ended === undefined && record.status !== 0)
    if (hasBegun || context.cancellation.hasLeft) return undefined
    const candidate = queue.besides(planned.deployment)
    if (candidate === undefined) return undefined
    if (!this.#router.loadOf(planned.deployment).takeHedge()) return undefined
    try {
      const second = await trial.plan(candidate)
      if (trial.mayHedge?.(second) !== true) return undefined
      queue.exclude(candidate)
      this.#health.attempted(candidate.deployment.id)
      return second
    } catch {
      // It cannot be called: the error is reported when it is tried.
      return undefined
    }
  }
}

/** Takes some members out of a list. @returns those that it had. */
function remove<T>(list: T[], members: ReadonlySet<T>): T[] {
  const found = list.filter((member) => members.has(member))
  const others = list.filter((member) => !members.has(member))
  list.splice(0, list.length, ...others)
  return found
}
