import { GatewayError } from "../canon/errors.ts"
import { formatWait } from "./headers.ts"

/** Who has a limit, as messages name it. */
export type LimitOwner = "this key" | "this account"

/** Why a request has to wait, and for how long. */
export interface Exceeded {
  /** Whose limit it is: a key's, or that of all keys of an account. */
  readonly whose: LimitOwner
  /** Units per minute. */
  readonly limit: number
  /** Milliseconds. */
  readonly wait: number
  /** The `x-ratelimit-*` headers. */
  readonly headers: Record<string, string>
}

export function requestsExceeded(exceeded: Exceeded): GatewayError {
  const message = `Rate limit reached for requests of ${exceeded.whose}: ${exceeded.limit} per minute.`
  return errorOf("request_rate_exceeded", message, exceeded)
}

/**
 * @param tokens that the request may use.
 * @param isLarge whether it waits until nothing else is in use.
 */
export function tokensExceeded(exceeded: Exceeded, tokens: number, isLarge: boolean): GatewayError {
  const { limit, whose } = exceeded
  const size = Math.ceil(tokens)
  const message = isLarge
    ? `Rate limit reached for tokens of ${whose}: ${limit} per minute. This request may use ${size}, more than fits next to others: it runs once no other tokens are in use.`
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
