import { GatewayError } from "../canon/errors.ts"
import { formatWait } from "./headers.ts"

/** Why a request has to wait, and for how long. */
export interface Exceeded {
  /** Units per minute. */
  readonly limit: number
  /** Milliseconds. */
  readonly wait: number
  /** The `x-ratelimit-*` headers. */
  readonly headers: Record<string, string>
}

export function requestsExceeded(exceeded: Exceeded): GatewayError {
  const message = `Rate limit reached for requests of this key: ${exceeded.limit} per minute.`
  return errorOf("request_rate_exceeded", message, exceeded)
}

/**
 * @param tokens that the request may use.
 * @param isLarge whether it waits until nothing else is in use.
 */
export function tokensExceeded(exceeded: Exceeded, tokens: number, isLarge: boolean): GatewayError {
  const { limit } = exceeded
  const size = Math.ceil(tokens)
  const message = isLarge
    ? `Rate limit reached for tokens of this key: ${limit} per minute. This request may use ${size}, more than fits next to others: it runs once no other tokens are in use.`
    : `Rate limit reached for tokens of this key: ${limit} per minute, and this request may use ${size}.`
  return errorOf("token_rate_exceeded", message, exceeded)
}

function errorOf(
  kind: "request_rate_exceeded" | "token_rate_exceeded",
  message: string,
  { wait, headers }: Exceeded,
): GatewayError {
  return new GatewayError(kind, `${message} Try again in ${formatWait(wait)}.`, {
    retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
    headers,
  })
}
