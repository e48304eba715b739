import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { errorEnvelope, GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { textAt } from "./wire.ts"

/** The longest message of a vendor that is passed on. */
const LONGEST_MESSAGE = 2000

/** What a vendor said went wrong, out of whatever shape it said it in. */
interface VendorError {
  readonly message?: string
  readonly type?: string
  readonly code?: string
  readonly parameter?: string
}

/** OpenAI's error envelope; `error_type` and `request_id` are ours (DESIGN section 3). */
export function encodeError(
  error: GatewayError,
  requestId: string,
): { status: number; body: JsonObject } {
  return { status: error.status, body: errorEnvelope(error, requestId) }
}

/**
 * The frame that breaks a stream: official clients throw on a chunk with an `error` (WIRE.md trap 2).
 * No `[DONE]` follows, since a client that overlooks the error would take it for a whole answer.
 */
export function encodeStreamError(error: GatewayError, requestId: string): SseFrame[] {
  const { body } = encodeError(error, requestId)
  return [{ data: JSON.stringify(body), json: body }]
}

/** An error inside a stream that began with 200 (WIRE.md trap 9). */
export function errorEvent(chunk: JsonObject): Extract<ChatEvent, { type: "error" }> {
  const { message, code, type } = readVendorError(chunk)
  const words = message ?? "The provider broke off the stream."
  const reason = code ?? type
  return reason === undefined
    ? { type: "error", message: words }
    : { type: "error", message: words, code: reason }
}

/**
 * A vendor's error answer as the caller is to see it. Only a refusal of the request itself is the
 * caller's: its message is passed on and its status kept. A refusal of the operator's credential is
 * told in our own words, since the vendor's may show a part of it.
 */
export function decodeError(status: number, body: unknown): GatewayError {
  const error = readVendorError(body)
  if (isCredentialTrouble(status, error)) {
    return new GatewayError(
      "upstream_error",
      "The provider refused the credential that the operator of this gateway configured for it.",
    )
  }
  if (status === 408 || status === 504) {
    return new GatewayError("upstream_timeout", "The provider did not answer in time.")
  }
  if (status === 429 || status === 503 || status === 529) {
    return new GatewayError("upstream_overloaded", "The provider is overloaded. Try again later.")
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
  const { message, type, code, parameter } = error
  return new GatewayError(
    "refused_by_upstream",
    message ?? `The provider refused the request with status ${status}.`,
    {
      upstream: {
        status,
        ...(type === undefined ? {} : { type }),
        ...(code === undefined ? {} : { code }),
      },
      ...(parameter === undefined ? {} : { parameter }),
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

/** xAI and Gemini say with 400 that the key is wrong, and only in words. */
const KEY_PHRASES = [
  "incorrect api key",
  "invalid api key",
  "api key not valid",
  "api key not found",
  "api key expired",
]

/** The operator's key is wrong, lacks a right, or is out of money. */
function isCredentialTrouble(status: number, error: VendorError): boolean {
  if (status === 401 || status === 402 || status === 403) return true
  const { type, code, message } = error
  if (ACCOUNT_WORDS.has(code ?? "") || ACCOUNT_WORDS.has(type ?? "")) return true
  if (status >= 500 || message === undefined) return false
  const words = message.toLowerCase()
  return KEY_PHRASES.some((phrase) => words.includes(phrase))
}

/**
 * Shapes seen: `{error: {message, type, code, param}}` with a code that may be a number (OpenRouter,
 * Perplexity), the same in a list (Gemini), `{code, error: "text"}` (xAI), `{detail}` or `{message}`
 * (Mistral, Voyage), plain text, and pages of HTML, whose words are nobody's business.
 */
function readVendorError(body: unknown): VendorError {
  if (typeof body === "string") return isPage(body) ? {} : withMessage({}, body)
  const whole: unknown = Array.isArray(body) ? body[0] : body
  if (!isJsonObject(whole)) return {}
  const { error } = whole
  if (isJsonObject(error)) return withMessage(named(error), messageOf(error))
  const words = typeof error === "string" ? error : messageOf(whole)
  return withMessage(named(whole), words)
}

function messageOf(error: JsonObject): string | undefined {
  const { message } = error
  // Mistral wraps the complaints of its checks in the message.
  const detail = isJsonObject(message) ? message.detail : error.detail
  if (typeof message === "string") return message
  if (typeof detail === "string") return detail
  // A list of complaints says where each belongs, so it is told whole.
  return Array.isArray(detail) && detail.length > 0 ? JSON.stringify(detail) : undefined
}

function named(error: JsonObject): VendorError {
  const type = wordOf(error.type)
  const code = wordOf(error.code)
  const parameter = textAt(error, "param")
  return {
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(parameter === undefined ? {} : { parameter }),
  }
}

function withMessage(error: VendorError, message: string | undefined): VendorError {
  const words = message?.trim().slice(0, LONGEST_MESSAGE)
  return words === undefined || words === "" ? error : { ...error, message: words }
}

function wordOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return String(value)
  return typeof value === "string" && value !== "" ? value.slice(0, 100) : undefined
}

function isPage(text: string): boolean {
  return text.trimStart().startsWith("<")
}
