import type { ChatEvent } from "../../canon/chat.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import type { Draft } from "../../canon/draft.ts"
import { type VendorError, vendorRefusal } from "../../canon/vendor-error.ts"

/** Reasons of a `google.rpc.ErrorInfo` that mean the operator's key, said with 400 (WIRE.md 5). */
const KEY_REASONS: ReadonlySet<string> = new Set(["API_KEY_INVALID", "API_KEY_EXPIRED"])

const SECONDS = /^(\d+(?:\.\d+)?)s$/

/**
 * An error answer: `{error: {code, message, status, details}}`, of some addresses in a list, or a page
 * of a proxy, whose words are nobody's business.
 */
export function decodeError(status: number, body: unknown): GatewayError {
  return vendorRefusal(status, readError(body))
}

/** An error inside a stream that began with 200. */
export function errorEvent(error: JsonObject): Extract<ChatEvent, { type: "error" }> {
  const message = textAt(error, "message") ?? "The provider broke off the stream."
  const code = textAt(error, "status")
  return code === undefined ? { type: "error", message } : { type: "error", message, code }
}

function readError(body: unknown): VendorError {
  if (typeof body === "string") return body.trimStart().startsWith("<") ? {} : { message: body }
  const whole: unknown = Array.isArray(body) ? body[0] : body
  const error = isJsonObject(whole) ? objectAt(whole, "error") : undefined
  if (error === undefined) return {}
  const read: Draft<VendorError> = {}
  const message = textAt(error, "message")
  if (message !== undefined) read.message = message
  const status = textAt(error, "status")
  if (status !== undefined) read.type = status
  for (const detail of listAt(error, "details")) {
    if (isJsonObject(detail)) readDetail(detail, read)
  }
  return read
}

/** The details that say something to us are those with these members, whatever their `@type`. */
function readDetail(detail: JsonObject, read: Draft<VendorError>): void {
  const reason = textAt(detail, "reason")
  if (reason !== undefined) read.code = KEY_REASONS.has(reason) ? "invalid_api_key" : reason
  const delay = SECONDS.exec(textAt(detail, "retryDelay") ?? "")?.[1]
  if (delay !== undefined) read.retryAfter = Math.ceil(Number(delay))
}
