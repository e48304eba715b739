import { ERROR_KINDS, GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { readVendorError as readError } from "../shared/errors.ts"

export interface StreamFailure {
  readonly message: string
  /** The code for the `error` event, in which any code is allowed. */
  readonly code: string
  /** The code for `response.error`, whose codes are a closed set (OpenAI's OpenAPI description). */
  readonly responseCode: "server_error" | "rate_limit_exceeded" | "invalid_prompt"
  /** Further members of the `error` event. */
  readonly members: JsonObject
}

/** Returns the failure for a stream that the gateway ends. */
export function streamFailure(error: GatewayError, requestId: string): StreamFailure {
  const { parameter, upstream } = error.details
  const { code, status } = ERROR_KINDS[error.kind]
  return {
    message: error.message,
    code: upstream?.code ?? code,
    responseCode: responseCodeOf(status),
    members: { param: parameter ?? null, error_type: error.kind, request_id: requestId },
  }
}

/** Returns the failure for a stream that the vendor ended. */
export function vendorFailure(message: string, code: string | undefined): StreamFailure {
  return {
    message,
    code: code ?? ERROR_KINDS.upstream_error.code,
    responseCode: "server_error",
    members: { param: null, error_type: "upstream_error" },
  }
}

/** Converts a whole response with a failed status to an error. */
export function failedResponse(response: JsonObject): GatewayError {
  return vendorRejection(200, readVendorError(response))
}

const NOT_FOUND = 404

/**
 * Decodes an error response from a vendor that uses this dialect. The error for an unknown model has the status 400
 * (docs/contribute/wire/openai-responses.md#f10). The error for an item that is not stored has the status 404, and is
 * an error in the request.
 */
export function decodeError(status: number, body: unknown): GatewayError {
  const error = readVendorError(body)
  if (status === NOT_FOUND && error.parameter === "input") return itemNotFound(error)
  return vendorRejection(status, error)
}

function itemNotFound(error: VendorError): GatewayError {
  const { kind, message, details } = vendorRejection(400, error)
  return new GatewayError(kind, message, {
    ...details,
    upstream: { ...details.upstream, status: NOT_FOUND },
  })
}

/** Reads an error with or without its envelope. The type of a flat `error` event is not the type of the error. */
export function readVendorError(body: unknown): VendorError {
  const { type, ...error } = readError(body)
  return type === undefined || type === "error" ? error : { ...error, type }
}

function responseCodeOf(status: number): StreamFailure["responseCode"] {
  if (status === 429 || status === 503) return "rate_limit_exceeded"
  return status < 500 ? "invalid_prompt" : "server_error"
}
