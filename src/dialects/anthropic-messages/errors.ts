import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { ERROR_KINDS, type GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRefusal } from "../../canon/vendor-error.ts"
import { textsOf } from "../../canon/wrapped-error.ts"
import { errorEvent, isPage } from "../shared/errors.ts"
import { defined } from "../shared/fields.ts"

/** The status of an overload in this dialect. */
const OVERLOADED_STATUS = 529

/** Error types for those statuses of a vendor's refusal that are passed on to the caller. */
const REFUSAL_TYPES: ReadonlyMap<number, string> = new Map([[413, "request_too_large"]])

/** The types of error that an event inside a stream may have. */
const STREAM_ERROR_TYPES: ReadonlySet<string> = new Set([
  "invalid_request_error",
  "rate_limit_error",
  "timeout_error",
  "overloaded_error",
])

/** Anthropic's error envelope; `error_type` and the fields next to it are ours (docs/use/errors.md#errors). */
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

/** Claude Code shortens a conversation by itself if the message begins with Anthropic's own words for it. */
const TOO_LONG = "prompt is too long"
const IS_TOO_LONG = /prompt is too long|exceed context limit/i

function readableMessage({ message, details }: GatewayError): string {
  if (details.providerError !== "context_length" || IS_TOO_LONG.test(message)) return message
  return `${TOO_LONG}: ${message}`
}

function errorType(error: GatewayError): string {
  const standard = ERROR_KINDS[error.kind].anthropicType
  return error.kind === "refused_by_upstream"
    ? (REFUSAL_TYPES.get(error.status) ?? standard)
    : standard
}

/** The frame that breaks a stream: official clients throw on it (docs/contribute/wire/anthropic-messages.md#f12). */
export function encodeStreamError(error: GatewayError, requestId: string): SseFrame[] {
  const { body } = encodeError(error, requestId)
  return [{ event: "error", data: JSON.stringify(body), json: body }]
}

/** The same for an error that the vendor reported in its stream. */
export function encodeErrorEvent(event: Extract<ChatEvent, { type: "error" }>): SseFrame {
  const { message, code } = event
  const type = code !== undefined && STREAM_ERROR_TYPES.has(code) ? code : "api_error"
  const json: JsonObject = { type: "error", error: { type, message, error_type: "upstream_error" } }
  return { event: "error", data: JSON.stringify(json), json }
}

/** An error inside a stream that started with 200 (docs/contribute/wire/anthropic-messages.md#f12). */
export function decodeErrorEvent(body: unknown): Extract<ChatEvent, { type: "error" }> {
  return errorEvent(readVendorError(body))
}

/** An error response of a vendor of this dialect. */
export function decodeError(status: number, body: unknown): GatewayError {
  return vendorRefusal(status, readVendorError(body))
}

/**
 * `{type: "error", error: {type, message, details}, request_id}`; plain text from a proxy in front of the
 * vendor; and HTML pages, which are not passed on.
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
