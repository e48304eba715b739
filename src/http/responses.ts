import type { ClientDialect } from "../canon/dialect.ts"
import { errorEnvelope, type GatewayError } from "../canon/errors.ts"

/** The default `retry-after` of a 429 or 503. */
const DEFAULT_RETRY_AFTER_SECONDS = 5

/** Builds a JSON response of the gateway itself. */
export function jsonResponse(requestId: string, body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: textHeaders(requestId) })
}

/** Returns the headers of a JSON response. */
export function textHeaders(
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-request-id": requestId,
    "request-id": requestId,
    ...headers,
  }
}

/** Returns the headers of an error response, which are the same in every dialect. */
export function errorHeaders(error: GatewayError, requestId: string): Record<string, string> {
  const headers = textHeaders(requestId, {
    "x-should-retry": String(error.retry),
    ...error.details.headers,
  })
  const status = error.status
  const wait = error.details.retryAfter
  if (wait !== undefined || status === 429 || status === 503) {
    headers["retry-after"] = String(wait ?? DEFAULT_RETRY_AFTER_SECONDS)
  }
  return headers
}

/** Builds an error response in the dialect of an endpoint or a request. */
export type ErrorResponse = (error: GatewayError, requestId: string, request: Request) => Response

/** Encodes the final events of an interrupted stream, like `ClientDialect.encodeBreak`. */
export type EncodeBreak = ClientDialect["encodeBreak"]

/** Encodes the final event of a stream in OpenAI's envelope, for endpoints without a dialect. */
export const encodeBreak: EncodeBreak = (error, requestId) => [
  { data: JSON.stringify(errorEnvelope(error, requestId)) },
]

/** Builds an error response in OpenAI's envelope, for endpoints without a dialect. */
export function errorResponse(error: GatewayError, requestId: string): Response {
  return new Response(JSON.stringify(errorEnvelope(error, requestId)), {
    status: error.status,
    headers: errorHeaders(error, requestId),
  })
}
