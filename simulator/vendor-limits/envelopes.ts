import type { Exchange } from "../exchange.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import type { Problem } from "./limit.ts"

type Envelope = (problem: Problem) => object

/** Error envelopes of vendors with OpenAI's chat format, if they differ from OpenAI's. */
const ENVELOPES: Readonly<Record<string, Envelope>> = {
  alibaba: ({ message, code = "invalid_parameter_error" }) => ({
    error: {
      message: `<400> InternalError.Algo.InvalidParameter: ${message}`,
      type: "invalid_request_error",
      param: null,
      code,
    },
  }),
  cerebras: ({ message, parameter = null }) => ({
    message,
    type: "invalid_request_error",
    param: parameter,
    code: "wrong_api_format",
  }),
  fireworks: ({ message }) => ({
    error: {
      object: "error",
      type: "invalid_request_error",
      code: "invalid_request_error",
      message,
    },
  }),
  groq: ({ message, parameter }) => ({
    error: { message, type: "invalid_request_error", ...(parameter && { param: parameter }) },
  }),
  mistral: ({ message, code, status }) => ({
    object: "error",
    message: status === 422 && message.startsWith("{") ? (JSON.parse(message) as object) : message,
    type: code === "3230" ? "invalid_request_message_order" : "invalid_request_error",
    param: null,
    code: code ?? null,
  }),
  moonshot: ({ message }) => ({ error: { message, type: "invalid_request_error" } }),
  nvidia: ({ message }) => ({
    type: "urn:inference-service:problem-details:bad-request",
    title: "Bad Request",
    status: 400,
    detail: message,
  }),
  openrouter: ({ message }) => ({ error: { message, code: 400 } }),
  perplexity: ({ message }) => ({ error: { message, type: "invalid_message", code: 400 } }),
  xai: ({ message }) => ({
    code: "Client specified an invalid argument",
    error: message,
  }),
  zai: ({ message, code = "1210" }) => ({ error: { code, message } }),
}

function openaiEnvelope({
  message,
  parameter: param = null,
  code = null,
}: {
  readonly message: string
  readonly parameter?: string | null
  readonly code?: string | null
}): object {
  return { error: { message, type: "invalid_request_error", param, code } }
}

/** Responds with a rejection in the simulated vendor's form, for requests in OpenAI's formats. */
export function rejectLimit(exchange: Exchange, problem: Problem): Response {
  exchange.finish()
  const envelope = ENVELOPES[exchange.vendor ?? ""] ?? openaiEnvelope
  return vendorResponse(JSON.stringify(envelope(problem)), "error", problem.status ?? 400)
}
