import type { Exchange } from "../exchange.ts"
import { vendorResponse } from "./headers.ts"

/**
 * An error in OpenAI's form (docs/contribute/wire/openai-chat.md#f9): the content of the envelope and the HTTP status.
 */
export interface VendorError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly parameter: string | null
  readonly code: string | null
  readonly headers?: Record<string, string>
}

/** Returns a 400 of the kind `invalid_request_error`. */
export function invalid(
  message: string,
  parameter: string | null,
  code: string | null,
): VendorError {
  return { status: 400, message, type: "invalid_request_error", parameter, code }
}

/** Returns the error's JSON text: `{"error":{message,type,param,code}}`. */
export function errorText(error: VendorError): string {
  const { message, type, parameter, code } = error
  return JSON.stringify({ error: { message, type, param: parameter, code } }, null, 2)
}

/** Responds with an error. */
export function reject(exchange: Exchange, error: VendorError): Response {
  exchange.finish()
  const response = vendorResponse(errorText(error), "error", error.status)
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value)
  return response
}

/** Returns a 404 for a model that does not exist, as recorded. */
export function modelNotFound(model: string): VendorError {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`
  return { ...invalid(message, null, "model_not_found"), status: 404 }
}

/** Responds with 404 to a path that is not an endpoint. */
export function answerUnknownPath(exchange: Exchange): Response {
  const message = `Invalid URL (${exchange.method} ${exchange.path})`
  return reject(exchange, { ...invalid(message, null, null), status: 404 })
}

/** Responds with 405 to a known path with another method. */
export function answerWrongMethod(exchange: Exchange): Response {
  const message = `Not allowed to ${exchange.method} on ${exchange.path}.`
  return reject(exchange, { ...invalid(message, null, "method_not_supported"), status: 405 })
}

const KEYS_PAGE = "https://platform.openai.com/account/api-keys"

const INSUFFICIENT_QUOTA: VendorError = {
  status: 429,
  message:
    "You exceeded your current quota, please check your plan and billing details. For more " +
    "information on this error, read the docs: " +
    "https://platform.openai.com/docs/guides/error-codes/api-errors.",
  type: "insufficient_quota",
  parameter: null,
  code: "insufficient_quota",
}

function incorrectKey(key: string): VendorError {
  const message = `Incorrect API key provided: ${key}. You can find your API key at ${KEYS_PAGE}.`
  return { ...invalid(message, null, "invalid_api_key"), status: 401 }
}

/** Returns the error for a missing credential, or for one of the credentials `sk-rejected`, `wrong` and `sk-empty`. */
export function credentialError(headers: Headers): VendorError | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
  // Azure sends the key in the header `api-key`.
  const key = bearer ?? headers.get("api-key") ?? undefined
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization " +
      "header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API " +
      `key from ${KEYS_PAGE}.`
    return { ...invalid(message, null, null), status: 401 }
  }
  if (key === "sk-rejected" || key === "wrong") return incorrectKey(key)
  return key === "sk-empty" ? INSUFFICIENT_QUOTA : undefined
}

/** Returns the error that a fault causes, by the fault's name. */
export function faultError(name: string, model: string): VendorError | undefined {
  switch (name) {
    case "429":
      return {
        status: 429,
        message:
          `Rate limit reached for ${model} in organization org-simulated on tokens per min ` +
          "(TPM): Limit 30000, Used 29937, Requested 385. Please try again in 2s. Visit " +
          "https://platform.openai.com/account/rate-limits to learn more.",
        type: "tokens",
        parameter: null,
        code: "rate_limit_exceeded",
        headers: { "retry-after": "2", "retry-after-ms": "2000" },
      }
    case "500":
    case "flaky":
    case "stream-error":
      return SERVER_ERROR
    case "503":
      return {
        ...SERVER_ERROR,
        status: 503,
        message:
          "The server is currently overloaded with other requests. Sorry about that! You can " +
          "retry your request, or contact us through our help center at help.openai.com if the " +
          "error persists.",
      }
    case "401":
      return incorrectKey("sk-simulated")
    case "402":
      // OpenAI does not send this error, but vendors with OpenAI's format do.
      return { ...invalid("Insufficient Balance", null, "invalid_request_error"), status: 402 }
    case "404":
      return modelNotFound(model)
    default:
      return rejectedRequest(name)
  }
}

const SERVER_ERROR: VendorError = {
  status: 500,
  message: "The server had an error while processing your request. Sorry about that!",
  type: "server_error",
  parameter: null,
  code: null,
}

function rejectedRequest(name: string): VendorError | undefined {
  switch (name) {
    case "400-context":
      return invalid(
        "This model's maximum context length is 128000 tokens. However, your messages resulted " +
          "in 204308 tokens. Please reduce the length of the messages.",
        "messages",
        "context_length_exceeded",
      )
    case "400-policy":
      return invalid(
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy. " +
          "Please try again with a different prompt: " +
          "https://platform.openai.com/docs/guides/reasoning#advice-on-prompting",
        null,
        "invalid_prompt",
      )
    default:
      return undefined
  }
}
