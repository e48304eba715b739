import type { ChatEvent } from "../../canon/chat.ts"
import { errorEnvelope, type GatewayError } from "../../canon/errors.ts"
import { type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { defined } from "./fields.ts"

/** Maximum characters of a vendor's error code or type that is passed on. */
const MAX_CODE_LENGTH = 100

/** Encodes an error in the envelope that OpenAI's dialects share. */
export function encodeError(
  error: GatewayError,
  requestId: string,
): { status: number; body: JsonObject } {
  return { status: error.status, body: errorEnvelope(error, requestId) }
}

/** Returns the event for an error that a vendor reports in a stream that started with status 200. */
export function errorEvent(error: VendorError): Extract<ChatEvent, { type: "error" }> {
  const { message = "The provider broke off the stream.", code = error.type } = error
  return defined({ type: "error", message, code, failure: vendorRejection(200, error) })
}

/** Returns the error in an event of an operation's stream, in OpenAI's form. */
export function reportedFailure(error: JsonObject): GatewayError {
  const [message, parameter] = [textAt(error, "message"), textAt(error, "param")]
  const names = { type: codeOf(error.type), code: codeOf(error.code) }
  return vendorRejection(200, defined({ message, parameter, ...names }))
}

/** Whether a text is an HTML page of a proxy. Pages are not passed on. */
export function isPage(text: string): boolean {
  return text.trimStart().startsWith("<")
}

/** Returns the code or type of an error as text. Some vendors write it as a number. */
export function codeOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return String(value)
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_CODE_LENGTH) : undefined
}
