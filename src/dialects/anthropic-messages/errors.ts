import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { ERROR_KINDS, type GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { textsOf } from "../../canon/wrapped-error.ts"
import { errorEvent, isPage } from "../shared/errors.ts"
import { defined } from "../shared/fields.ts"

/** The status for an overloaded provider in this dialect. */
const OVERLOADED_STATUS = 529

/** Error types for statuses of a vendor's rejection that are passed on to the caller. */
const REJECTION_TYPES: ReadonlyMap<number, string> = new Map([[413, "request_too_large"]])

/** The error types that an event within a stream may have. */
const STREAM_ERROR_TYPES: ReadonlySet<string> = new Set([
  "invalid_request_error",
  "rate_limit_error",
  "timeout_error",
  "overloaded_error",
])

/**
 * Encodes an error in Anthropic's envelope. `error_type` and the fields next to it are the gateway's additions
 * (docs/use/errors.md#errors).
 */
export function encodeError(
  error: GatewayError,
  requestId: string,
): { status: number; body: JsonObject } {
  const { parameter, fields } = error.details
  const inner: JsonObject = {
    type: errorType(error),
    message: readableMessage(error),
    error_type: error.kind,
    ...(parameter === undefined ? {} : { param: parameter }),
    ...fields,
  }
  const status = error.kind === "upstream_overloaded" ? OVERLOADED_STATUS : error.status
  return { status, body: { type: "error", error: inner, request_id: requestId } }
}

/**
 * The start of Anthropic's message for a prompt that is too long. Claude Code shortens the conversation if the message
 * begins with these words.
 */
const TOO_LONG = "prompt is too long"
const IS_TOO_LONG = /prompt is too long|exceed context limit/i

function readableMessage({ message, details }: GatewayError): string {
  if (details.providerError !== "context_length" || IS_TOO_LONG.test(message)) return message
  return `${TOO_LONG}: ${message}`
}

function errorType(error: GatewayError): string {
  const standard = ERROR_KINDS[error.kind].anthropicType
  return error.kind === "rejected_by_upstream"
    ? (REJECTION_TYPES.get(error.status) ?? standard)
    : standard
}

/**
 * Returns the error frame that ends a stream. Official clients throw when they receive it
 * (docs/contribute/wire/anthropic-messages.md#f12).
 */
export function encodeStreamError(error: GatewayError, requestId: string): SseFrame[] {
  const { body } = encodeError(error, requestId)
  return [{ event: "error", data: JSON.stringify(body), json: body }]
}

/** Returns the error frame that ends a stream, for an error that the vendor reported in its stream. */
export function encodeErrorEvent(event: Extract<ChatEvent, { type: "error" }>): SseFrame {
  const { message, code } = event
  const type = code !== undefined && STREAM_ERROR_TYPES.has(code) ? code : "api_error"
  const json: JsonObject = { type: "error", error: { type, message, error_type: "upstream_error" } }
  return { event: "error", data: JSON.stringify(json), json }
}

/** Decodes an error in a stream that started with status 200 (docs/contribute/wire/anthropic-messages.md#f12). */
export function decodeErrorEvent(body: unknown): Extract<ChatEvent, { type: "error" }> {
  return errorEvent(readVendorError(body))
}

/** Decodes an error response from a vendor that uses this dialect. */
export function decodeError(status: number, body: unknown): GatewayError {
  return vendorRejection(status, readVendorError(body))
}

/**
 * Reads `{type: "error", error: {type, message, details}, request_id}`, or plain text from a proxy in front of the
 * vendor. HTML pages are not passed on.
 */
function readVendorError(body: unknown): VendorError {
  if (typeof body === "string") {
    const words = body.trim()
    return words === "" || isPage(words) ? {} : { message: words }
  }
  if (!isJsonObject(body)) return {}
  const error = objectAt(body, "error") ?? body
  const details = objectAt(error, "details")
  return defined({
    type: textAt(error, "type"),
    message: textAt(error, "message"),
    code: details && textAt(details, "error_code"),
    details,
    texts: textsOf(body),
  })
}
