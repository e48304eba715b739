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
  refuseCredential(exchange) {
    const error = openai.credentialError(exchange.headers)
    return error === undefined ? undefined : openai.refuse(exchange, error)
  },
  refuseFault(exchange, fault, model) {
    const error = openai.faultError(fault, model)
    return error === undefined ? undefined : openai.refuse(exchange, error)
  },
  refuse: (exchange, message) => openai.refuse(exchange, openai.invalid(message, null, null)),
  respond: (body) => openaiResponse(body, "json"),
}

/** The form of Voyage and Jina, which report the error in `detail` (docs/contribute/wire/embeddings.md#f6). */
export const DETAIL: Manner = {
  ...OPENAI,
  refuseCredential(exchange) {
    const error = openai.credentialError(exchange.headers)
    return error === undefined ? undefined : detailed(exchange, error.status, error.message)
  },
  refuseFault(exchange, fault, model) {
    const error = openai.faultError(fault, model)
    return error === undefined ? undefined : detailed(exchange, error.status, error.message)
  },
  refuse: (exchange, message) => detailed(exchange, 400, message),
}

function detailed(exchange: Exchange, status: number, detail: string): Response {
  exchange.finish()
  return openaiResponse(JSON.stringify({ detail }), "error", status)
}

/** The form of Cohere. */
export const COHERE: Manner = {
  refuseCredential(exchange) {
    const error = cohere.credentialError(exchange.headers)
    return error === undefined ? undefined : cohere.refuse(exchange, error)
  },
  refuseFault(exchange, fault, model) {
    const error = cohere.faultError(fault, model)
    return error === undefined ? undefined : cohere.refuse(exchange, error)
  },
  refuse: (exchange, message) => cohere.refuse(exchange, cohere.invalid(message)),
  respond: (body) => cohereResponse(body, "json"),
}

/** The form of Google, for the Gemini API and for Vertex. */
export const GOOGLE: Manner = {
  refuseCredential(exchange) {
    const call = readCall(exchange.path)
    const error = gemini.credentialError(exchange.headers, call)
    return error === undefined ? undefined : gemini.refuse(exchange, call, error)
  },
  refuseFault(exchange, fault) {
    const call = readCall(exchange.path)
    const error = gemini.faultError(fault, call)
    return error === undefined ? undefined : gemini.refuse(exchange, call, error)
  },
  refuse: (exchange, message) =>
    gemini.refuse(exchange, readCall(exchange.path), gemini.invalid(message)),
  respond: (body) => geminiResponse(body, "json"),
}

/**
 * Returns the form of Bedrock.
 * @param headers returns further headers of an answer.
 */
export function bedrockManner(headers: () => Readonly<Record<string, string>>): Manner {
  return {
    refuseCredential(exchange) {
      const error = bedrockCredentialError(exchange)
      return error === undefined ? undefined : bedrock.refuse(exchange, error)
    },
    refuseFault(exchange, fault) {
      const error = bedrock.faultError(fault)
      return error === undefined ? undefined : bedrock.refuse(exchange, error)
    },
    refuse: (exchange, message) => bedrock.refuse(exchange, bedrock.invalid(message)),
    respond(body) {
      const response = bedrockResponse(body, "application/json")
      for (const [name, value] of Object.entries(headers())) response.headers.set(name, value)
      return response
    },
  }
}
