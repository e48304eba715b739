import { GatewayError } from "../../canon/errors.ts"
import type { Candidate } from "../upstream/attempt.ts"
import {
  asCallFailure,
  CallEnded,
  type CallFailure,
  endsFailover,
} from "../lifetime/call-failure.ts"

/** The functions that call a second deployment if the first is late. */
export interface Hedging<P extends Candidate, T> {
  /** Milliseconds after which the first call is late. */
  readonly lateAfter: number
  attempt(plan: P): Promise<T>
  /**
   * Returns the plan of a second call; undefined if there is none, or if the first call has started to answer. It never
   * throws.
   */
  second(): Promise<P | undefined>
  /** Ends the call of a plan because another plan has answered. */
  giveUp(plan: P): void
  /** Records that the calls of a plan have failed and are not charged. */
  lost(plan: P): void
}

/** An answer, and the plan whose call returned it. */
export interface HedgedAnswer<P extends Candidate, T> {
  readonly plan: P
  readonly answer: T
}

type Outcome<P extends Candidate, T> =
  | HedgedAnswer<P, T>
  | { readonly plan: P; readonly failure: CallFailure }

/**
 * Makes the call of a plan, and the call of a second plan if the first is late. Returns the first answer and ends the
 * other call.
 * @throws CallFailure if both calls have failed, or if the first was rejected for a reason that ends the request.
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
  if (earlier.plan === first && lacksMemory(earlier.failure)) {
    const answer = await helping
    if ("failure" in answer)
      throw answer.failure instanceof CallEnded ? answer.failure : earlier.failure
    hedging.lost(first)
    return answer
  }
  // A final failure of the second call does not end the first call, because the caller did not request the second call.
  if (earlier.plan === first && endsFailover(earlier.failure)) {
    // The request has ended, and with it both calls. The caller of this function charges their counted usage.
    if (earlier.failure instanceof CallEnded) await helping
    else hedging.giveUp(second)
    throw earlier.failure
  }
  hedging.lost(earlier.plan)
  return answerIn(await (other === first ? running : helping))
}

/** Returns the outcome of a call. It never rejects, because one of two calls may fail before its promise is awaited. */
function outcomeOf<P extends Candidate, T>(
  hedging: Hedging<P, T>,
  plan: P,
): Promise<Outcome<P, T>> {
  return hedging.attempt(plan).then(
    (answer) => ({ plan, answer }),
    (thrown: unknown) => ({ plan, failure: asCallFailure(thrown) }),
  )
}

/**
 * Whether a call failed because there was no memory for its answer. Its memory has been released, so another answer may
 * fit.
 */
function lacksMemory(failure: CallFailure): boolean {
  return failure instanceof GatewayError && failure.details.lacksMemory === true
}

function answerIn<P extends Candidate, T>(outcome: Outcome<P, T>): HedgedAnswer<P, T> {
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
