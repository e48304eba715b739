import type { Exchange } from "../exchange.ts"
import { vendorResponse } from "./headers.ts"

/**
 * An error in AWS's form (docs/contribute/wire/bedrock-converse.md#f8). Its type is sent in a header, and its message
 * in the body.
 */
export interface VendorError {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers?: Record<string, string>
}

/** Returns a 400 of the type `ValidationException`. */
export function invalid(message: string): VendorError {
  return { status: 400, type: "ValidationException", message }
}

/** Returns an error of a Claude model. Bedrock adds its own words before the model's message. */
export function invalidForModel(message: string): VendorError {
  return invalid(`The model returned the following errors: ${message}`)
}

/**
 * Returns the error for an unknown member. The message is the simulator's own, because AWS silently accepts unknown
 * members.
 */
export function unknownMember(place: string): string {
  return `The field ${place} is not a member of its structure.`
}

/** Responds with an error. */
export function reject(exchange: Exchange, error: VendorError): Response {
  exchange.finish()
  const response = vendorResponse(
    JSON.stringify({ message: error.message }),
    "application/json",
    error.status,
  )
  const page = "http://internal.amazon.com/coral/com.amazon.bedrock/"
  response.headers.set("x-amzn-errortype", `${error.type}:${page}`)
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value)
  return response
}

/** The 400 for a model that does not exist, as recorded. */
export const MODEL_NOT_FOUND = invalid("The provided model identifier is invalid.")

/** Responds with 403 to an operation that does not exist, or to a known operation with a wrong method. */
export function answerUnknownOperation(exchange: Exchange): Response {
  const message = "Unable to determine service/operation name to be authorized"
  return reject(exchange, { status: 403, type: "AccessDeniedException", message })
}

/** The error of a stream that fails at the vendor. */
export const STREAM_EXCEPTION = {
  type: "internalServerException",
  message: "The system encountered an unexpected error during processing. Try your request again.",
}

/** Returns the error that a fault causes, by the fault's name. */
export function faultError(name: string): VendorError | undefined {
  switch (name) {
    case "429":
      return {
        status: 429,
        type: "ThrottlingException",
        message: "Too many requests, please wait before trying again.",
        headers: { "retry-after": "2" },
      }
    case "500":
    case "flaky":
      return { status: 500, type: "InternalServerException", message: STREAM_EXCEPTION.message }
    case "503":
      return {
        status: 503,
        type: "ServiceUnavailableException",
        message: "Bedrock is unable to process your request.",
      }
    case "401":
      return {
        status: 403,
        type: "UnrecognizedClientException",
        message: "The security token included in the request is invalid.",
      }
    case "402":
      return {
        status: 403,
        type: "AccessDeniedException",
        message:
          "Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument " +
          "must be provided.. Your AWS Marketplace subscription for this model cannot be " +
          "completed at this time.",
      }
    case "404":
      return {
        status: 404,
        type: "ResourceNotFoundException",
        message: "Could not resolve the foundation model from the provided model identifier.",
      }
    case "400-context":
      return invalid("Input is too long for requested model.")
    case "400-policy":
      return invalidForModel("Output blocked by content filtering policy")
    default:
      return undefined
  }
}
