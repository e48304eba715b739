import { GatewayError } from "../../canon/errors.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { RequestContext } from "./request-context.ts"
import type { CallFailure } from "../lifetime/call-failure.ts"

/** Maximum wait that a vendor may request, seconds. */
const SHORT_WAIT = 2
/** Maximum milliseconds before the first retry. Doubled for each further retry. */
const FIRST_PAUSE = 400

/** A deployment and its failure. */
interface FailedDeployment {
  readonly deployment: Deployment
  readonly failure: CallFailure
}

/**
 * Returns the wait before an attempt is repeated, milliseconds; undefined if it is not repeated. Repeats after
 * failures that may be accidental: a broken or refused connection, a server error, and a 429 with a short wait.
 * @param retry the number of earlier retries.
 */
export function pauseBeforeRetry(
  { call, charge, config }: RequestContext,
  { deployment: { id }, failure }: FailedDeployment,
  retry: number,
  random: () => number = Math.random,
): number | undefined {
  if (!(failure instanceof GatewayError) || retry >= config.routing.retries) return undefined
  const { whole, firstByte } = config.deadlines
  const attempt = charge.attempts.findLast(({ deployment }) => deployment === id)
  if (attempt === undefined || !isAccident(failure, attempt, firstByte)) return undefined
  const asked = failure.kind === "upstream_overloaded" ? (failure.details.retryAfter ?? 0) : 0
  // Full jitter, so that requests that failed together do not return together.
  const pause = asked * 1_000 + random() * FIRST_PAUSE * 2 ** retry
  return performance.now() + pause < call.startedAt + whole ? pause : undefined
}

function isAccident(
  { kind, details }: GatewayError,
  { status, duration }: { readonly status: number; readonly duration: number },
  firstByte: number,
): boolean {
  switch (kind) {
    case "upstream_error":
      // A failed generation is billed and would likely fail again.
      if (details.providerError === "generation") return false
      return status < 300 || status >= 500
    case "upstream_timeout":
      // The deployment could not be reached. After a long wait, a retry would likely wait as long.
      return status === 0 && duration < firstByte
    case "upstream_overloaded":
      // A failing server does not name a wait; a rate limit with a long wait must be respected.
      return (details.retryAfter ?? (status >= 500 ? 0 : Infinity)) <= SHORT_WAIT
    default:
      return false
  }
}
