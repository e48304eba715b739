import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import type { Writable } from "../../canon/writable.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import { waitSecondsOf } from "../../canon/quantity.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { errorEvent, isPage } from "../shared/errors.ts"

const SECONDS = /^(\d+(?:\.\d+)?)s$/

/**
 * Decodes an error response: `{error: {code, message, status, details}}`, which some addresses return in a list, or the
 * HTML page of a proxy. HTML pages are not passed on.
 */
export function decodeError(status: number, body: unknown): GatewayError {
  return vendorRejection(status, readError(body))
}

/** Decodes an error in a stream that started with status 200. */
export function decodeErrorEvent(error: JsonObject): Extract<ChatEvent, { type: "error" }> {
  return errorEvent(readError({ error }))
}

/**
 * Google's names for statuses (`google.rpc.Code`). Other statuses are an error of the caller (4xx) or of the server
 * (5xx).
 */
const STATUS_WORDS: ReadonlyMap<number, string> = new Map([
  [401, "UNAUTHENTICATED"],
  [402, "FAILED_PRECONDITION"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [409, "ABORTED"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
])

const DETAIL = "type.googleapis.com/google.rpc."

/** Encodes an error in Google's form. `error_type` and the fields next to it are the gateway's additions. */
export function encodeError(
  error: GatewayError,
  requestId: string,
): { status: number; body: JsonObject } {
  const { kind, status, message } = error
  const word = STATUS_WORDS.get(status) ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL")
  const body: JsonObject = {
    code: status,
    message,
    status: word,
    error_type: kind,
    request_id: requestId,
    ...error.details.fields,
    details: detailsOf(error),
  }
  return { status, body: { error: body } }
}

/** Returns the details that clients act on: the reason, the field, and the seconds to wait. */
function detailsOf({ kind, message, details }: GatewayError): JsonObject[] {
  const { parameter, retryAfter } = details
  const list: JsonObject[] = [
    { "@type": `${DETAIL}ErrorInfo`, reason: kind.toUpperCase(), domain: "tollgate" },
  ]
  if (parameter !== undefined) {
    const fieldViolations = [{ field: parameter, description: message }]
    list.push({ "@type": `${DETAIL}BadRequest`, fieldViolations })
  }
  if (retryAfter !== undefined) {
    list.push({ "@type": `${DETAIL}RetryInfo`, retryDelay: `${retryAfter}s` })
  }
  return list
}

/**
 * Returns the error frame that ends a stream. Official clients throw when they receive it.
 * @param broken the vendor's own frame, whose other members are passed on.
 */
export function encodeStreamError(
  error: GatewayError,
  requestId: string,
  broken?: JsonObject,
): SseFrame[] {
  const json = { ...broken, ...encodeError(error, requestId).body }
  return [{ data: JSON.stringify(json), json }]
}

/** Returns the error frame that ends a stream, for an error that the vendor reported in its stream. */
export function encodeErrorEvent({ message }: Extract<ChatEvent, { type: "error" }>): SseFrame {
  const error = { code: 502, message, status: "UNAVAILABLE", error_type: "upstream_error" }
  const json: JsonObject = { error }
  return { data: JSON.stringify(json), json }
}

function readError(body: unknown): VendorError {
  if (typeof body === "string") return isPage(body) ? {} : { message: body }
  const whole: unknown = Array.isArray(body) ? body[0] : body
  const error = isJsonObject(whole) ? objectAt(whole, "error") : undefined
  if (error === undefined) return {}
  const read: Writable<VendorError> = {}
  const message = textAt(error, "message")
  if (message !== undefined) read.message = message
  const status = textAt(error, "status")
  if (status !== undefined) read.type = status
  if (typeof error.code === "number") read.status = error.code
  for (const detail of listAt(error, "details")) {
    if (isJsonObject(detail)) readDetail(detail, read)
  }
  return read
}

/** Reads the details of an error. They are recognized by their members, regardless of their `@type`. */
function readDetail(detail: JsonObject, read: Writable<VendorError>): void {
  const reason = textAt(detail, "reason")
  if (reason !== undefined) read.code = reason
  const delay = SECONDS.exec(textAt(detail, "retryDelay") ?? "")?.[1]
  const wait = waitSecondsOf(delay === undefined ? undefined : Number(delay))
  if (wait !== undefined) read.retryAfter = wait
}
