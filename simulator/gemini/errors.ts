import type { Exchange } from "../exchange.ts"
import { vendorResponse } from "./headers.ts"
import type { Call } from "./paths.ts"

/** An error in Google's form (docs/contribute/wire/gemini.md#f11): the content of the envelope and the HTTP status. */
export interface VendorError {
  readonly code: number
  readonly status: string
  readonly message: string
  readonly details?: readonly object[]
}

/** Returns a 400 INVALID_ARGUMENT. */
export function invalid(message: string, details?: readonly object[]): VendorError {
  const error = { code: 400, status: "INVALID_ARGUMENT", message }
  return details === undefined ? error : { ...error, details }
}

/** Returns the message for a violated rule. The message names the place in the request. */
export function ruleMessage(place: string, words: string): string {
  return `* GenerateContentRequest.${place}: ${words}\n`
}

/** Returns the error's JSON text. If the stream is a JSON list, the error is the only element of a list. */
export function errorText({ code, message, status, details }: VendorError, isList = false): string {
  const body = { error: { code, message, status, ...(details === undefined ? {} : { details }) } }
  return JSON.stringify(isList ? [body] : body, null, 2)
}

/** Responds with an error. */
export function reject(exchange: Exchange, call: Call, error: VendorError): Response {
  exchange.finish()
  const isList = call.isStream && !call.isSse
  return vendorResponse(errorText(error, isList), "json", error.code)
}

/** Returns a 404 for a model that does not exist, as recorded. */
export function modelNotFound(call: Call): VendorError {
  const message = call.isVertex
    ? `Publisher Model \`${call.resource}\` not found.`
    : `models/${call.model} is not found for API version ${call.version}, or is not supported for ` +
      `${call.method}. Call ModelService.ListModels to see the list of available models and their ` +
      "supported methods."
  return { code: 404, status: "NOT_FOUND", message }
}

const INVALID_KEY = invalid("API key not valid. Please pass a valid API key.", [
  {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "API_KEY_INVALID",
    domain: "googleapis.com",
    metadata: { service: "generativelanguage.googleapis.com" },
  },
  {
    "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
    locale: "en-US",
    message: "API key not valid. Please pass a valid API key.",
  },
])

const EXPECTED_TOKEN =
  "Expected OAuth 2 access token, login cookie or other valid authentication credential. See " +
  "https://developers.google.com/identity/sign-in/web/devconsole-project."

const INVALID_TOKEN: VendorError = {
  code: 401,
  status: "UNAUTHENTICATED",
  message: `Request had invalid authentication credentials. ${EXPECTED_TOKEN}`,
}

/**
 * Returns the error for the credential `wrong`: 400 for a key, 401 for a token (docs/contribute/wire/gemini.md#f12).
 */
function wrongCredential(call: Call): VendorError {
  return call.isVertex ? INVALID_TOKEN : INVALID_KEY
}

/** Returns the error for a missing credential or for the credential `wrong`. */
export function credentialError(headers: Headers, call: Call): VendorError | undefined {
  const token = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
  const credential = headers.get("x-goog-api-key") ?? call.key ?? token
  if (credential === "wrong") return wrongCredential(call)
  if (credential !== undefined) return undefined
  return call.isVertex
    ? {
        code: 401,
        status: "UNAUTHENTICATED",
        message: `Request is missing required authentication credential. ${EXPECTED_TOKEN}`,
      }
    : {
        code: 403,
        status: "PERMISSION_DENIED",
        message:
          "Method doesn't allow unregistered callers (callers without established identity). Please " +
          "use API Key or other form of API consumer identity to call this API.",
      }
}

/** Returns the error that a fault causes, by the fault's name. */
export function faultError(name: string, call: Call): VendorError | undefined {
  switch (name) {
    case "429":
      return quotaExceeded(call.model)
    case "500":
    case "flaky":
      return {
        code: 500,
        status: "INTERNAL",
        message:
          "An internal error has occurred. Please retry or report in " +
          "https://developers.generativeai.google/guide/troubleshooting",
      }
    case "503":
      return OVERLOADED
    case "401":
      return wrongCredential(call)
    case "402":
      return BILLING_DISABLED
    case "404":
      return modelNotFound(call)
    case "400-context":
      return invalid(
        "The input token count (1204308) exceeds the maximum number of tokens allowed (1048576).",
      )
    default:
      return undefined
  }
}

/** The error in a stream that fails after it has begun. */
export const OVERLOADED: VendorError = {
  code: 503,
  status: "UNAVAILABLE",
  message: "The model is overloaded. Please try again later.",
}

// Google has no status 402. It sends this error if there is no billing account.
const BILLING_DISABLED: VendorError = {
  code: 403,
  status: "PERMISSION_DENIED",
  message:
    "This API method requires billing to be enabled. Please enable billing on project #simulated.",
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "BILLING_DISABLED",
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    },
  ],
}

/** Returns the error as recorded. The time to wait is in the details and not in a header. */
function quotaExceeded(model: string): VendorError {
  const metric = "generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count"
  const violation = {
    quotaMetric: metric,
    quotaId: "GenerateContentPaidTierInputTokensPerModelPerMinute",
    quotaDimensions: { model, location: "global" },
    quotaValue: "1000000",
  }
  const limits = "https://ai.google.dev/gemini-api/docs/rate-limits"
  return {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message:
      "You exceeded your current quota, please check your plan and billing details. For more " +
      `information on this error, head to: ${limits}. To monitor your current usage, head to: ` +
      `https://ai.dev/rate-limit. \n* Quota exceeded for metric: ${metric}, limit: 1000000, ` +
      `model: ${model}\nPlease retry in 2.4s.`,
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.Help",
        links: [{ description: "Learn more about Gemini API quotas", url: limits }],
      },
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [violation] },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2s" },
    ],
  }
}
