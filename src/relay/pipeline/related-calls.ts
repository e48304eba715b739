import { GatewayError } from "../../canon/errors.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Router } from "../../routing/route.ts"
import { asCallFailure, CallEnded, endsFailover } from "../lifetime/call-failure.ts"
import { pauseBeforeRetry } from "./candidate-queue.ts"
import { recordUnchargedCalls, type RunningCall } from "./cancellation.ts"
import type { RequestContext } from "./request-context.ts"

/** Maximum calls that a request starts before other requests are served. */
const CALLS_PER_TURN = 8

/** The calls of one candidate. */
export interface CandidateCalls {
  readonly deployment: Deployment
  /** All calls so far. Failed calls are removed before they are repeated, so that they are not charged. */
  readonly attempts: RunningCall[]
  /** Whether earlier calls were answered. */
  readonly hasResponses?: boolean
}

/** Makes several upstream calls for one request. */
export class RelatedCalls {
  readonly #router: Router
  readonly #partlyAnswered = new WeakSet<RequestContext>()

  constructor(router: Router) {
    this.#router = router
  }

  /** Whether some calls of a request were answered and the others failed after all retries. */
  isPartlyAnswered(context: RequestContext): boolean {
    return this.#partlyAnswered.has(context)
  }

  /**
   * Makes the related calls to one candidate. If one call fails, the others continue until another response is found
   * for the request, or else until they end.
   */
  async together<T>(
    { cancellation }: RequestContext,
    deployment: Deployment,
    calls: readonly (() => Promise<T>)[],
  ): Promise<readonly T[]> {
    const [only] = calls
    if (only && calls.length === 1) return [await only()]
    const { attempts } = cancellation
    const earlier = new Set(attempts)
    const running: Promise<T>[] = []
    for (const [index, call] of calls.entries()) {
      if (index > 0 && index % CALLS_PER_TURN === 0) {
        await ownTurn()
        if (cancellation.hasLeft) break
      }
      const started = call()
      // Prevents an unhandled rejection, because one call may fail before all have started.
      started.catch(() => undefined)
      running.push(started)
    }
    try {
      return await Promise.all(running)
    } catch (failure) {
      const calls = () =>
        attempts.filter(
          (attempt) => attempt.plan.deployment === deployment && !earlier.has(attempt),
        )
      cancellation.leaveRunning({ calls, over: Promise.allSettled(running) })
      throw failure
    }
  }

  /**
   * Makes the calls like `together`. If some calls are answered and others fail temporarily, only the failed ones are
   * repeated, because the provider bills the responses.
   */
  async withRetries<T>(
    context: RequestContext,
    { deployment, attempts, hasResponses = false }: CandidateCalls,
    calls: readonly (() => Promise<T>)[],
  ): Promise<readonly T[]> {
    if (calls.length === 1 && !hasResponses) return this.together(context, deployment, calls)
    const { cancellation, charge } = context
    const responses = new Map<number, T>()
    let failures: unknown[] = []
    const noted = calls.map((call, index) => async () => {
      try {
        responses.set(index, await call())
      } catch (failure) {
        failures.push(failure)
        throw failure
      }
    })
    for (let retry = 0; ; retry++) {
      const earlier = new Set(cancellation.attempts)
      failures = []
      try {
        const missing = noted.filter((_, index) => !responses.has(index))
        await this.together(context, deployment, missing)
        return [...responses].toSorted(([left], [right]) => left - right).map(([, each]) => each)
      } catch (failure) {
        const isAnswered = () => hasResponses || responses.size > 0
        const hasChoice = !this.#router.isWithoutChoice(charge.model.deployments)
        if (isPermanent(failure)) throw failure
        if (hasChoice && !isAnswered() && !cancellation.hasLeft) throw failure
        await cancellation.othersOver()
        // The calls are charged as those of a caller that has disconnected, and no other deployment is tried.
        if (cancellation.hasLeft) throw new CallEnded("caller_disconnected")
        if (!isAnswered()) throw failure
        const failed = cancellation.attempts.filter(
          (call) => call.plan.deployment === deployment && hasFailed(call) && !earlier.has(call),
        )
        const pause = failures.some(isPermanent) ? undefined : longestPause(context, failed, retry)
        if (pause === undefined || !this.#router.loadOf(deployment).takeRetry()) {
          this.#partlyAnswered.add(context)
          throw failure
        }
        await Bun.sleep(pause)
        recordUnchargedCalls(charge, failed)
        const others = attempts.filter((call) => !failed.includes(call))
        attempts.splice(0, attempts.length, ...others)
      }
    }
  }
}

function isPermanent(failure: unknown): boolean {
  return endsFailover(asCallFailure(failure))
}

/** Whether a call failed. A call that was corrected after a rejection did not. */
function hasFailed({ ended }: RunningCall): boolean {
  return ended instanceof GatewayError && ended.details.rejected === undefined
}

/** Returns the milliseconds to wait before the failed calls are repeated; undefined if one of them is not repeated. */
function longestPause(
  context: RequestContext,
  failed: readonly RunningCall[],
  retry: number,
): number | undefined {
  let longest: number | undefined
  for (const { ended: failure, record } of failed) {
    const pause = failure && pauseBeforeRetry(context, { failure, record }, retry)
    if (pause === undefined) return undefined
    longest = Math.max(longest ?? 0, pause)
  }
  return longest
}
