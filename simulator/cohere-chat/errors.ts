import type { Exchange } from "../exchange.ts"
import { vendorResponse } from "./headers.ts"

/**
 * An error in Cohere's form: `{id, message}` and an HTTP status (docs/contribute/wire/cohere-chat.md#f6 and Cohere's
 * page of errors).
 */
export interface VendorError {
  readonly status: number
  readonly message: string
}

/** Returns a 400 with the given message. */
export function invalid(message: string): VendorError {
  return { status: 400, message }
}

/** Returns a 400 whose message begins with "invalid request". */
export function invalidRequest(message: string): VendorError {
  return invalid(`invalid request: ${message}`)
}

const REFERENCE = "For proper usage, please refer to https://docs.cohere.com/reference/chat"

/** Returns a 422 for an unknown field. */
export function unknownField(name: string): VendorError {
  const message = `unknown field: parameter '${name}' is not a valid field. ${REFERENCE}`
  return { status: 422, message }
}

/** Returns a 400 for a field with a value of the wrong type. */
export function invalidType(name: string, actual: string, expected: string): VendorError {
  return invalid(
    `invalid type: parameter ${name} is of type ${actual} but should be of type ${expected}. ${REFERENCE}`,
  )
}

/** Returns a 404 for a model that does not exist. */
export function modelNotFound(model: string): VendorError {
  const message =
    `model '${model}' not found, make sure the correct model ID was used and that you have ` +
    "access to the model."
  return { status: 404, message }
}

/** Responds with an error. */
export function reject(exchange: Exchange, { status, message }: VendorError): Response {
  exchange.finish()
  return vendorResponse(JSON.stringify({ id: crypto.randomUUID(), message }), "json", status)
}

/** Responds with 405 to the chat path with a wrong method. */
export function answerWrongMethod(exchange: Exchange): Response {
  return reject(exchange, { status: 405, message: "method not allowed" })
}

const INCORRECT_KEY: VendorError = {
  status: 401,
  message:
    "Incorrect API key provided: ***********. You can find your API key at " +
    "https://dashboard.cohere.com/api-keys.",
}

/** Returns the error for a missing credential or for the credential `wrong`. */
export function credentialError(headers: Headers): VendorError | undefined {
  const key = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
  if (key === undefined) return { status: 401, message: "no api key supplied" }
  return key === "wrong" ? INCORRECT_KEY : undefined
}

/** The message of an error at the vendor after a stream has begun. */
export const STREAM_FAILURE = "internal server error"

/** Returns the error that a fault causes, by the fault's name. */
export function faultError(name: string, model: string): VendorError | undefined {
  switch (name) {
    case "429":
      return {
        status: 429,
        message: "You are past the per minute request limit, please wait and try again later.",
      }
    case "500":
    case "flaky":
      return {
        status: 500,
        message: `internal server error, this has been reported to our developers. id ${crypto.randomUUID()}`,
      }
    case "503":
      return { status: 503, message: "service unavailable, please try again later" }
    case "401":
      return INCORRECT_KEY
    case "402":
      return {
        status: 402,
        message:
          "Please add or update your payment method at " +
          "https://dashboard.cohere.com/billing?tab=payment to continue",
      }
    case "404":
      return modelNotFound(model)
    case "400-context":
      return invalid(
        "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received " +
          "204308. Try using a shorter prompt, or enabling prompt truncating. See " +
          "https://docs.cohere.com/reference/generate for more details.",
      )
    case "400-policy":
      // Cohere uses a status of its own for blocked words (the SDK's `InvalidTokenError`).
      return { status: 498, message: "blocked input: please reword your message" }
    default:
      return undefined
  }
}
