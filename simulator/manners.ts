import * as bedrock from "./bedrock-converse/errors.ts"
import { credentialError as bedrockCredentialError } from "./bedrock-converse/credentials.ts"
import { vendorResponse as bedrockResponse } from "./bedrock-converse/headers.ts"
import * as cohere from "./cohere-chat/errors.ts"
import { vendorResponse as cohereResponse } from "./cohere-chat/headers.ts"
import type { Exchange } from "./exchange.ts"
import * as gemini from "./gemini/errors.ts"
import { vendorResponse as geminiResponse } from "./gemini/headers.ts"
import { readCall } from "./gemini/paths.ts"
import type { Manner } from "./json-operation.ts"
import * as openai from "./openai-chat/errors.ts"
import { vendorResponse as openaiResponse } from "./openai-chat/headers.ts"

/** The form of OpenAI, and of vendors with the same form. */
export const OPENAI: Manner = {
  rejectCredential(exchange) {
    const error = openai.credentialError(exchange.headers)
    return error === undefined ? undefined : openai.reject(exchange, error)
  },
  rejectFault(exchange, fault, model) {
    const error = openai.faultError(fault, model)
    return error === undefined ? undefined : openai.reject(exchange, error)
  },
  reject: (exchange, message) => openai.reject(exchange, openai.invalid(message, null, null)),
  respond: (body) => openaiResponse(body, "json"),
}

/** The form of Voyage and Jina, which report the error in `detail` (docs/contribute/wire/embeddings.md#f6). */
export const DETAIL: Manner = {
  ...OPENAI,
  rejectCredential(exchange) {
    const error = openai.credentialError(exchange.headers)
    return error === undefined ? undefined : detailed(exchange, error.status, error.message)
  },
  rejectFault(exchange, fault, model) {
    const error = openai.faultError(fault, model)
    return error === undefined ? undefined : detailed(exchange, error.status, error.message)
  },
  reject: (exchange, message) => detailed(exchange, 400, message),
}

function detailed(exchange: Exchange, status: number, detail: string): Response {
  exchange.finish()
  return openaiResponse(JSON.stringify({ detail }), "error", status)
}

/** The form of Cohere. */
export const COHERE: Manner = {
  rejectCredential(exchange) {
    const error = cohere.credentialError(exchange.headers)
    return error === undefined ? undefined : cohere.reject(exchange, error)
  },
  rejectFault(exchange, fault, model) {
    const error = cohere.faultError(fault, model)
    return error === undefined ? undefined : cohere.reject(exchange, error)
  },
  reject: (exchange, message) => cohere.reject(exchange, cohere.invalid(message)),
  respond: (body) => cohereResponse(body, "json"),
}

/** The form of Google, for the Gemini API and for Vertex. */
export const GOOGLE: Manner = {
  rejectCredential(exchange) {
    const call = readCall(exchange.path)
    const error = gemini.credentialError(exchange.headers, call)
    return error === undefined ? undefined : gemini.reject(exchange, call, error)
  },
  rejectFault(exchange, fault) {
    const call = readCall(exchange.path)
    const error = gemini.faultError(fault, call)
    return error === undefined ? undefined : gemini.reject(exchange, call, error)
  },
  reject: (exchange, message) =>
    gemini.reject(exchange, readCall(exchange.path), gemini.invalid(message)),
  respond: (body) => geminiResponse(body, "json"),
}

/**
 * Returns the form of Bedrock.
 * @param headers returns further headers of a response.
 */
export function bedrockManner(headers: () => Readonly<Record<string, string>>): Manner {
  return {
    rejectCredential(exchange) {
      const error = bedrockCredentialError(exchange)
      return error === undefined ? undefined : bedrock.reject(exchange, error)
    },
    rejectFault(exchange, fault) {
      const error = bedrock.faultError(fault)
      return error === undefined ? undefined : bedrock.reject(exchange, error)
    },
    reject: (exchange, message) => bedrock.reject(exchange, bedrock.invalid(message)),
    respond(body) {
      const response = bedrockResponse(body, "application/json")
      for (const [name, value] of Object.entries(headers())) response.headers.set(name, value)
      return response
    },
  }
}
