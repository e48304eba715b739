import type { Candidate } from "../upstream/attempt.ts"
import {
  asCallFailure,
  CallEnded,
  type CallFailure,
  endsFailover,
} from "../lifetime/call-failure.ts"

/** Calls a second deployment while the first is late. */
export interface Hedging<P extends Candidate, T> {
  /** Milliseconds after which the first is late. */
  readonly lateAfter: number
  attempt(plan: P): Promise<T>
  /** Returns the plan of a second call; undefined without one, or if the first has begun to answer. Never throws. */
  second(): Promise<P | undefined>
  /** Ends the call of a plan because another plan has answered. */
  giveUp(plan: P): void
  /** Records that the calls of a plan have failed and are not charged. */
  lost(plan: P): void
}

/** An answer and the plan that it belongs to. */
export interface HedgedAnswer<P extends Candidate, T> {
  readonly plan: P
  readonly answer: T
}

type Outcome<P extends Candidate, T> =
  | HedgedAnswer<P, T>
  | { readonly plan: P; readonly failure: CallFailure }

/**
 * Makes the call of a plan, and that of a second plan when the first is late. Takes the first answer, and ends the
 * other call in any state.
 * @throws CallFailure if both have failed, or if the first was rejected for a reason that ends the request.
 */
export async function answerHedged<P extends Candidate, T>(
  first: P,
  hedging: Hedging<P, T>,
): Promise<HedgedAnswer<P, T>> {
  const running = outcomeOf(hedging, first)
  const second = (await isLate(running, hedging.lateAfter)) ? await hedging.second() : undefined
  if (second === undefined) return answerIn(await running)
  const helping = outcomeOf(hedging, second)
  const earlier = await Promise.race([running, helping])
  const other = earlier.plan === first ? second : first
  if (!("failure" in earlier)) {
    hedging.giveUp(other)
    return earlier
  }
  // The caller did not ask for the second call, so its failure does not end the first.
  if (earlier.plan === first && endsFailover(earlier.failure)) {
    // The end of the request ended both calls. The caller of this function charges their counted usage.
    if (earlier.failure instanceof CallEnded) await helping
    else hedging.giveUp(second)
    throw earlier.failure
  }
  hedging.lost(earlier.plan)
  return answerIn(await (other === first ? running : helping))
}

/** Returns the outcome of a call. Never rejects, because one of two calls may fail before it is awaited. */
function outcomeOf<P extends Candidate, T>(
  hedging: Hedging<P, T>,
  plan: P,
): Promise<Outcome<P, T>> {
  return hedging.attempt(plan).then(
    (answer) => ({ plan, answer }),
    (thrown: unknown) => ({ plan, failure: asCallFailure(thrown) }),
  )
}

function answerIn<P extends Candidate, T>(outcome: Outcome<P, T>): HedgedAnswer<P, T> {
  if ("failure" in outcome) throw outcome.failure
  return outcome
}

/** Whether a call is still running after a time. */
async function isLate(running: Promise<unknown>, after: number): Promise<boolean> {
  const late = Promise.withResolvers<true>()
  using _ = setTimeout(late.resolve, after, true)
  return (await Promise.race([running, late.promise])) === true
}
