import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import { LedgerError } from "../../store/ledger-error.ts"
import { type ErrorAnswer, errorAnswer, jsonAnswer } from "../answers.ts"

/** Converts the result of a handler to a response that is never cached. */
export function answerOf(requestId: string, result: unknown): Response {
  if (result instanceof Response) return withoutCaching(named(result, requestId))
  if (result === undefined)
    return withoutCaching(named(new Response(null, { status: 204 }), requestId))
  return withoutCaching(jsonAnswer(requestId, result))
}

/** Builds an error response in OpenAI's envelope that is never cached. */
export const errors: ErrorAnswer = (error, requestId) =>
  withoutCaching(errorAnswer(error, requestId))

/** Converts an exception to an error for the caller. */
export function errorOf(thrown: unknown): GatewayError {
  return thrown instanceof LedgerError ? ledgerUnavailable(thrown) : asGatewayError(thrown)
}

/** Returns an error without the ledger's location and fault, which are only logged. */
function ledgerUnavailable(cause: LedgerError): GatewayError {
  return new GatewayError(
    "ledger_unavailable",
    "The gateway cannot use its ledger right now, so nothing was changed. Check its log, then try again.",
    { cause },
  )
}

function named(response: Response, requestId: string): Response {
  const headers = new Headers(response.headers)
  headers.set("x-request-id", requestId)
  headers.set("request-id", requestId)
  return new Response(response.body, { status: response.status, headers })
}

function withoutCaching(response: Response): Response {
  response.headers.set("cache-control", "no-store")
  response.headers.set("x-content-type-options", "nosniff")
  return response
}
