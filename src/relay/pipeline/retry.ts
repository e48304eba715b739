import { GatewayError } from "../../canon/errors.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { RequestContext } from "./request-context.ts"
import type { CallFailure } from "../lifetime/call-failure.ts"

/** Maximum delay that a vendor may request before a retry. */
const MAX_RETRY_AFTER_SECONDS = 2
/** Maximum delay before the first retry. It is doubled for each further retry. */
const FIRST_RETRY_DELAY_MS = 400

/** A deployment and its failure. */
interface FailedDeployment {
  readonly deployment: Deployment
  readonly failure: CallFailure
}

/**
 * Returns the milliseconds to wait before an attempt is repeated; undefined if it is not repeated. Attempts are
 * repeated after failures that may be temporary: a broken or refused connection, a server error, or a 429 with a short
 * wait.
 * @param retry the number of earlier retries.
 */
export function pauseBeforeRetry(
  { call, charge, config }: RequestContext,
  { deployment: { id }, failure }: FailedDeployment,
  retry: number,
  random: () => number = Math.random,
): number | undefined {
  if (!(failure instanceof GatewayError) || retry >= config.routing.retries) return undefined
  const { total, firstByte } = config.timeouts
  const attempt = charge.attempts.findLast(({ deployment }) => deployment === id)
  if (attempt === undefined || !isAccident(failure, attempt, firstByte)) return undefined
  const asked = failure.kind === "upstream_overloaded" ? (failure.details.retryAfter ?? 0) : 0
  // The wait is random, so that requests that failed together are not repeated together.
  const pause = asked * 1_000 + random() * FIRST_RETRY_DELAY_MS * 2 ** retry
  return performance.now() + pause < call.startedAt + total ? pause : undefined
}

function isAccident(
  { kind, details }: GatewayError,
  { status, duration }: { readonly status: number; readonly duration: number },
  firstByte: number,
): boolean {
  switch (kind) {
    case "upstream_error":
      // A failed generation is billed, and would probably fail again.
      if (details.providerError === "generation") return false
      return status < 300 || status >= 500
    case "upstream_timeout":
      // The deployment could not be reached. If that took a long time, a retry would probably take as long.
      return status === 0 && duration < firstByte
    case "upstream_overloaded":
      // A server error without a requested wait is retried. A rate limit with a long wait must be respected.
      return (details.retryAfter ?? (status >= 500 ? 0 : Infinity)) <= MAX_RETRY_AFTER_SECONDS
    default:
      return false
  }
}
