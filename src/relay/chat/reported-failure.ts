import type { ResponseHeaders } from "../../canon/operation.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { Plan } from "./plan.ts"
import { messageIn } from "../upstream/rejection.ts"

const GOOD_STATUS = 200

/** Returns the error that a vendor reports in a response with a success status. */
export function reportedFailure(
  attempt: Attempt<Plan>,
  error: JsonObject,
  headers?: ResponseHeaders,
): GatewayError {
  attempt.rejected(attempt.cleanedText(messageIn(error) ?? ""))
  return attempt.plan.binding.dialect.decodeError(GOOD_STATUS, error, headers)
}

/** Returns the error for a stream that ended before its response was complete. */
export function brokenOff(provider: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The stream of provider '${provider}' ended before the response was complete. Only the delivered part is charged; try again.`,
  )
}
