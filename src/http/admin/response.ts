import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import { minJsonLength } from "../../canon/json-length.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { EndpointResponse } from "../../relay/request/call.ts"
import { LedgerError } from "../../store/ledger-error.ts"
import { type ErrorResponse, errorResponse, textHeaders } from "../responses.ts"

/** Maximum length of a text that is sent without a reservation of memory. */
const MAX_SHORT_LENGTH = 32 * 1024
const UNCACHED = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/**
 * Converts the result of a handler to a response that is never cached. Memory for a long text stays reserved until the
 * text is sent.
 * @throws GatewayError `overloaded`.
 */
export function responseOf(
  requestId: string,
  result: unknown,
  memory?: Reservation,
): Response | EndpointResponse {
  if (result instanceof Response) return withoutCaching(named(result, requestId))
  if (result === undefined)
    return withoutCaching(named(new Response(null, { status: 204 }), requestId))
  // The memory is taken before the text exists, and corrected afterwards.
  const expectedLength = minJsonLength(result)
  const isLong = expectedLength > MAX_SHORT_LENGTH
  if (isLong) memory?.takeResponse(2 * expectedLength)
  const body = JSON.stringify(result)
  const headers = textHeaders(requestId, UNCACHED)
  if (body.length <= MAX_SHORT_LENGTH) return new Response(body, { headers })
  const missing = body.length - (isLong ? expectedLength : 0)
  if (missing > 0) memory?.takeResponse(2 * missing)
  return { headers, body }
}

/** Builds an error response in OpenAI's envelope that is never cached. */
export const errors: ErrorResponse = (error, requestId) =>
  withoutCaching(errorResponse(error, requestId))

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
  for (const [name, value] of Object.entries(UNCACHED)) response.headers.set(name, value)
  return response
}
