import type { ChatEvent } from "../../canon/chat.ts"
import { errorEnvelope, type GatewayError } from "../../canon/errors.ts"
import {
  type JsonObject,
  type JsonValue,
  textAt,
  isJsonObject,
  parseJsonObject,
} from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { textsOf } from "../../canon/wrapped-error.ts"
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

/**
 * Reads an error from a provider with OpenAI's format. Known forms: `{error: {message, type, code, param}}` with a code
 * that may be a number (OpenRouter, Perplexity), this object in a list (Gemini), `{code, error: "text"}` (xAI),
 * `{detail}` or `{message}` (Mistral, Voyage), `{detail: {error}}` (DeepInfra), `{errors: [{code, message}]}`
 * (Cloudflare), and plain text. HTML pages are not passed on. OpenRouter sends the error of the provider that it called
 * as text in `error.metadata.raw`.
 */
export function readVendorError(body: unknown): VendorError {
  return { ...readKnownForms(body), texts: textsOf(body) }
}

function readKnownForms(body: unknown): VendorError {
  if (typeof body === "string") return isPage(body) ? {} : withMessage({}, body)
  const whole: unknown = Array.isArray(body) ? body[0] : body
  if (!isJsonObject(whole)) return {}
  const { error, errors } = whole
  if (isJsonObject(error)) {
    return calledProvidersError(error) ?? withMessage(named(error), messageOf(error))
  }
  const [first] = Array.isArray(errors) ? errors : []
  if (isJsonObject(first)) return withMessage(named(first), messageOf(first))
  const words = typeof error === "string" ? error : messageOf(whole)
  return withMessage(named(whole), words)
}

function calledProvidersError({ metadata }: JsonObject): VendorError | undefined {
  const raw = isJsonObject(metadata) ? textAt(metadata, "raw") : undefined
  const read = raw === undefined ? undefined : readKnownForms(parseJsonObject(raw))
  return read?.message === undefined ? undefined : read
}

function messageOf(error: JsonObject): string | undefined {
  const { message } = error
  // Mistral puts its validation errors in the message.
  const detail = isJsonObject(message) ? message.detail : error.detail
  if (typeof message === "string") return message
  if (typeof detail === "string") return detail
  if (isJsonObject(detail)) return textAt(detail, "error") ?? textAt(detail, "message")
  // A list of validation errors is passed on as a whole, because it contains the paths of the fields.
  return Array.isArray(detail) && detail.length > 0 ? JSON.stringify(detail) : undefined
}

function named(error: JsonObject): VendorError {
  const parameter = textAt(error, "param")
  const failedGeneration = textAt(error, "failed_generation")
  return defined({
    type: codeOf(error.type),
    code: codeOf(error.code),
    parameter,
    failedGeneration,
  })
}

function withMessage(error: VendorError, message: string | undefined): VendorError {
  const words = message?.trim()
  return words === undefined || words === "" ? error : { ...error, message: words }
}
