import { GatewayError } from "../canon/errors.ts"
import { formatWait } from "./headers.ts"

/** The owner of a limit, as named in messages. */
export type LimitOwner = "this key" | "this account"

/** An exceeded limit, and the time to wait. */
export interface Exceeded {
  /** The owner of the limit, which is a key, or an account whose keys share the limit. */
  readonly whose: LimitOwner
  /** Units per minute. */
  readonly limit: number
  /** Time to wait in milliseconds. */
  readonly wait: number
  /** The `x-ratelimit-*` headers of the response. */
  readonly headers: Record<string, string>
}

export function requestsExceeded(exceeded: Exceeded): GatewayError {
  const message = `Rate limit reached for requests of ${exceeded.whose}: ${exceeded.limit} per minute.`
  return errorOf("request_rate_exceeded", message, exceeded)
}

/**
 * Builds the error for an exceeded token limit.
 * @param tokens number of tokens that the request may use.
 * @param isLarge whether the request must wait until no other units are in use.
 */
export function tokensExceeded(exceeded: Exceeded, tokens: number, isLarge: boolean): GatewayError {
  const { limit, whose } = exceeded
  const size = Math.ceil(tokens)
  const message = isLarge
    ? `Rate limit reached for tokens of ${whose}: ${limit} per minute. This request may use ${size}, which does not fit next to other requests. It runs once no other tokens are in use.`
    : `Rate limit reached for tokens of ${whose}: ${limit} per minute, and this request may use ${size}.`
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
