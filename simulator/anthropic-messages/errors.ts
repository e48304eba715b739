import type { Exchange } from "../exchange.ts"
import { requestId, vendorResponse } from "./headers.ts"

/**
 * An error in Anthropic's form (docs/contribute/wire/anthropic-messages.md#f11): the content of the envelope and the
 * HTTP status.
 */
export interface VendorError {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly details?: { readonly error_code: string }
  readonly headers?: Record<string, string>
}

/** Returns a 400 of the type `invalid_request_error`. */
export function invalid(message: string): VendorError {
  return { status: 400, type: "invalid_request_error", message }
}

/** Returns a 404 for a model that does not exist, as recorded. */
export function modelNotFound(model: string): VendorError {
  return { status: 404, type: "not_found_error", message: `model: ${model}` }
}

/** Responds with an error. The error's id is in the body and in the header `request-id`. */
export function reject(exchange: Exchange, error: VendorError): Response {
  exchange.finish()
  const { status, type, message, details } = error
  const id = requestId()
  const text = JSON.stringify({ type: "error", error: { type, message, details }, request_id: id })
  const response = vendorResponse(text, "json", status, id)
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value)
  return response
}

/** Responds with 404 to a path under `/v1/messages` that is not an endpoint. */
export function answerUnknownPath(exchange: Exchange): Response {
  return reject(exchange, { status: 404, type: "not_found_error", message: "Not Found" })
}

/** Responds with 405 to a known path with another method. */
export function answerWrongMethod(exchange: Exchange): Response {
  const message = "Method Not Allowed"
  return reject(exchange, { status: 405, type: "invalid_request_error", message })
}

/** The first version whose errors do not mention sampling. */
export const VERSION_WITHOUT_SAMPLING = "2026-10-21"

const VERSIONS = [VERSION_WITHOUT_SAMPLING, "2023-06-01", "2023-01-01"]

/** Returns the error for the headers: for a missing key, for the key `wrong`, or for a missing version. */
export function headersError(headers: Headers): VendorError | undefined {
  const unknown = (message: string) => ({ status: 401, type: "authentication_error", message })
  const key = headers.get("x-api-key")
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
  if (key === null && bearer === undefined) return unknown("x-api-key header is required")
  if (key === "wrong") return unknown("invalid x-api-key")
  if (key === null && bearer === "wrong") return unknown("Invalid bearer token")
  const version = headers.get("anthropic-version")
  if (version === null) return invalid("anthropic-version: header is required")
  if (VERSIONS.includes(version)) return undefined
  return invalid(`anthropic-version: "${version}" is not a valid version`)
}

/** The error of an overloaded vendor. */
export const OVERLOADED: VendorError = {
  status: 529,
  type: "overloaded_error",
  message: "Overloaded",
  headers: { "x-should-retry": "true" },
}

/** Returns the error that a fault causes, by the fault's name. */
export function faultError(name: string, model: string): VendorError | undefined {
  switch (name) {
    case "429":
      return {
        status: 429,
        type: "rate_limit_error",
        message:
          "This request would exceed your organization's rate limit of 30,000 input tokens per " +
          "minute. For details, refer to: https://docs.claude.com/en/api/rate-limits.",
        headers: { "retry-after": "2", "x-should-retry": "true" },
      }
    case "500":
    case "flaky":
      return {
        status: 500,
        type: "api_error",
        message: "Internal server error",
        headers: { "x-should-retry": "true" },
      }
    case "503":
      return OVERLOADED
    case "401":
      return { status: 401, type: "authentication_error", message: "invalid x-api-key" }
    case "402":
      return {
        status: 402,
        type: "billing_error",
        message: "Your credit balance is too low to access the Anthropic API.",
      }
    case "404":
      return modelNotFound(model)
    case "400-context":
      return invalid("prompt is too long: 204308 tokens > 200000 maximum")
    case "400-policy":
      return invalid("Output blocked by content filtering policy")
    default:
      return undefined
  }
}
