import { GatewayError } from "./errors.ts"
import type { JsonObject } from "./json.ts"

/** The longest message of a vendor that is passed on. */
const LONGEST_MESSAGE = 2000
/** Longer details are not passed on. Characters of JSON. */
const LONGEST_DETAILS = 4000

/** A vendor's error, decoded from its dialect's form. */
export interface VendorError {
  readonly message?: string
  readonly type?: string
  readonly code?: string
  readonly parameter?: string
  /** Machine-readable details. */
  readonly details?: JsonObject
  /** Seconds, where the body gives them. */
  readonly retryAfter?: number
}

/**
 * A vendor's error as the caller sees it. Only a refusal of the request itself is the caller's: its message is
 * passed on and its status kept. A refusal of the operator's credential is reported in our own words, since the
 * vendor's may show part of it.
 */
export function vendorRefusal(status: number, error: VendorError): GatewayError {
  if (isCredentialTrouble(status, error)) {
    return new GatewayError(
      "upstream_error",
      "The provider refused the credential that the operator of this gateway configured for it.",
      { isCredentialRefused: true },
    )
  }
  if (status === 408 || status === 504) {
    return new GatewayError("upstream_timeout", "The provider did not answer in time.")
  }
  if (status === 429 || status === 503 || status === 529) {
    const { retryAfter } = error
    return new GatewayError(
      "upstream_overloaded",
      "The provider is overloaded. Try again later.",
      retryAfter === undefined ? {} : { retryAfter },
    )
  }
  if (status === 404) {
    return new GatewayError(
      "upstream_error",
      "The provider does not know the model or address that it was asked for.",
    )
  }
  if (status < 400 || status >= 500) {
    return new GatewayError("upstream_error", `The provider failed with status ${status}.`)
  }
  const { type, code, parameter, details } = error
  const isReported = details !== undefined && JSON.stringify(details).length <= LONGEST_DETAILS
  const message = error.message?.trim().slice(0, LONGEST_MESSAGE)
  return new GatewayError(
    "refused_by_upstream",
    message || `The provider refused the request with status ${status}.`,
    {
      upstream: {
        status,
        ...(type === undefined ? {} : { type }),
        ...(code === undefined ? {} : { code }),
      },
      ...(parameter === undefined ? {} : { parameter }),
      ...(isReported ? { fields: { details } } : {}),
    },
  )
}

/** Codes and types that mean the operator's account, whatever the status. */
const ACCOUNT_WORDS: ReadonlySet<string> = new Set([
  "authentication_error",
  "invalid_api_key",
  "insufficient_quota",
  "credit_balance_exhausted",
  "billing_not_active",
  "billing_hard_limit_reached",
  "account_deactivated",
])

/** xAI and Gemini report an invalid key with 400, and only in words. */
const KEY_PHRASES = [
  "incorrect api key",
  "invalid api key",
  "api key not valid",
  "api key not found",
  "api key expired",
]

/** The operator's key is invalid, lacks a right, or is out of money. */
function isCredentialTrouble(status: number, error: VendorError): boolean {
  if (status === 401 || status === 402 || status === 403) return true
  const { type, code, message } = error
  if (ACCOUNT_WORDS.has(code ?? "") || ACCOUNT_WORDS.has(type ?? "")) return true
  if (status >= 500 || message === undefined) return false
  const words = message.toLowerCase()
  return KEY_PHRASES.some((phrase) => words.includes(phrase))
}
