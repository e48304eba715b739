import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { reportedErrorIn } from "../../canon/reported-error.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { messageIn } from "../upstream/refusal.ts"

const GOOD_STATUS = 200

/** The error that a vendor reports in an answer with a good status. */
export function reportedFailure(
  attempt: Attempt,
  error: JsonObject,
  headers?: Headers,
): GatewayError {
  attempt.refused(attempt.cleanedText(messageIn(error) ?? ""))
  return attempt.plan.binding.dialect.decodeError(GOOD_STATUS, error, headers)
}

/** Why an answer is not a stream: mostly it is an error. @throws GatewayError when it cannot be read. */
export async function notStreamed(attempt: Attempt, response: HttpAnswer): Promise<GatewayError> {
  const error = reportedErrorIn(await attempt.json(response))
  if (error !== undefined) return reportedFailure(attempt, error, response.headers)
  return new GatewayError(
    "upstream_error",
    `Provider '${attempt.provider}' did not answer with a stream. Try again without 'stream'.`,
  )
}
