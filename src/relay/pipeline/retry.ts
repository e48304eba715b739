import { GatewayError } from "../../canon/errors.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { RequestContext } from "./request-context.ts"
import type { CallFailure } from "../lifetime/call-failure.ts"

/** The longest wait that a vendor may ask for, seconds. */
const SHORT_WAIT = 2
/** Maximum milliseconds before the first retry. Doubled for each further retry. */
const FIRST_PAUSE = 400

/** A deployment and its failure. */
interface FailedDeployment {
  readonly deployment: Deployment
  readonly failure: CallFailure
}

/**
 * How long to wait before an attempt is repeated, milliseconds; undefined where that is not worth it. Worth it is what may
 * have been an accident: a connection that broke or was not made, an error of the server, and a 429 that names a short
 * wait.
 * @param retry how many there were already.
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
  // Full jitter: those who failed together do not come back together.
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
      // It could not be reached. One that has kept its callers waiting for long would do so again.
      return status === 0 && duration < firstByte
    case "upstream_overloaded":
      // A server that is down names no wait; one that asks for fewer requests means it.
      return (details.retryAfter ?? (status >= 500 ? 0 : Infinity)) <= SHORT_WAIT
    default:
      return false
  }
}
