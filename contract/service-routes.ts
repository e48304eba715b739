import * as z from "zod"
import { MODEL_KIND_NAMES } from "./model-kinds.ts"
import {
  CHAT_LIMITS,
  GEMINI_LIMITS,
  MAX_PARTS,
  MAX_TEXTS,
  MESSAGES_LIMITS,
  type RequestLimits,
  RERANK_LIMITS,
  RESPONSES_LIMITS,
} from "./request-limits.ts"
import { type Method, type MethodAndPath, methodAndPath } from "./route-name.ts"

/**
 * A route for callers with keys or for monitoring, as listed in `/openapi.json` and `/docs`. The input and output have
 * the fields of a vendor's own API. The dialects validate them.
 */
export interface ServiceRoute {
  readonly summary: string
  readonly group: "Models" | "Text" | "Images" | "Audio" | "Money" | "Operation"
  /** The media type of the request body; if absent, the route has no body. */
  readonly body?: "application/json" | "multipart/form-data"
  /** The limits of the body's JSON fields. Each limit is far above the limits of providers. */
  readonly limits?: RequestLimits
  /** The media type of the response. Defaults to JSON. */
  readonly response?: string
  /** Whether the route is free. Free routes ignore idempotency keys. */
  readonly isFree?: boolean
  /** Whether the route is open. Open routes need no key. */
  readonly isOpen?: boolean
  /** The vendor whose API has the same fields. */
  readonly like?: string
  /** Query parameters that exist only in the gateway. */
  readonly query?: z.ZodObject
}

/** Filters of a model list. */
const MODEL_LIST_QUERY = z.object({
  kind: z.enum(MODEL_KIND_NAMES).optional().meta({ description: "Only the models of this kind" }),
})
const JSON_BODY = { body: "application/json" } as const
const FORM = { body: "multipart/form-data" } as const

/** Routes for callers with keys, and for monitoring. */
export const SERVICE_ROUTES = {
  "GET /v1beta/models": {
    summary: "List the models that this key may call",
    group: "Models",
    query: MODEL_LIST_QUERY,
  },
  "GET /v1beta/models/{id...}": {
    summary: "Get a model; with x-goog-api-key, this model and the list are in Google's format",
    group: "Models",
  },
  "GET /v1/models": {
    summary:
      "List the models in OpenAI's format, or in Anthropic's, with pages, if `anthropic-version` is sent",
    group: "Models",
    query: MODEL_LIST_QUERY,
  },
  "GET /v1/models/{id...}": {
    summary: "Get a model by its id, which may contain slashes",
    group: "Models",
  },
  "POST /v1/chat/completions": {
    summary: "Create a chat completion",
    group: "Text",
    like: "OpenAI",
    ...JSON_BODY,
    limits: CHAT_LIMITS,
  },
  "POST /v1/messages": {
    summary: "Create a message",
    group: "Text",
    like: "Anthropic",
    ...JSON_BODY,
    limits: MESSAGES_LIMITS,
  },
  "POST /v1/messages/count_tokens": {
    summary: "Count the tokens of a message",
    isFree: true,
    group: "Text",
    like: "Anthropic",
    ...JSON_BODY,
    limits: MESSAGES_LIMITS,
  },
  "POST /v1/responses": {
    summary: "Create a response",
    group: "Text",
    like: "OpenAI",
    ...JSON_BODY,
    limits: RESPONSES_LIMITS,
  },
  "POST /v1/responses/input_tokens": {
    summary: "Count the tokens of the input of a response",
    isFree: true,
    group: "Text",
    like: "OpenAI",
    ...JSON_BODY,
    limits: RESPONSES_LIMITS,
  },
  "POST /v1/responses/compact": {
    summary: "Create a response that is returned as one text",
    group: "Text",
    ...JSON_BODY,
    limits: RESPONSES_LIMITS,
  },
  "POST /v1beta/models/{id}:generateContent": {
    summary: "Generate content; also under /v1/models",
    group: "Text",
    like: "Google",
    ...JSON_BODY,
    limits: GEMINI_LIMITS,
  },
  "POST /v1beta/models/{id}:streamGenerateContent": {
    summary: "Generate content as a stream of events (alt=sse) or as one JSON array",
    group: "Text",
    like: "Google",
    ...JSON_BODY,
    limits: GEMINI_LIMITS,
  },
  "POST /v1beta/models/{id}:countTokens": {
    summary: "Count the tokens of a request",
    isFree: true,
    group: "Text",
    like: "Google",
    ...JSON_BODY,
    limits: GEMINI_LIMITS,
  },
  "POST /v1/embeddings": {
    summary: "Create embeddings of texts",
    group: "Text",
    like: "OpenAI",
    ...JSON_BODY,
    limits: {
      lists: { input: MAX_TEXTS },
      maps: {},
      texts: ["model", "input", "user"],
      tokens: "input",
    },
  },
  "POST /v1beta/models/{id}:embedContent": {
    summary: "Create the embedding of one text",
    group: "Text",
    like: "Google",
    ...JSON_BODY,
    limits: { lists: { "content.parts": MAX_PARTS }, maps: {}, texts: ["title", "taskType"] },
  },
  "POST /v1beta/models/{id}:batchEmbedContents": {
    summary: "Create embeddings of texts",
    group: "Text",
    like: "Google",
    ...JSON_BODY,
    limits: {
      lists: { requests: MAX_TEXTS, "requests[].content.parts": MAX_PARTS },
      maps: {},
      texts: [],
    },
  },
  "POST /v1/rerank": {
    summary: "Sort documents by relevance",
    group: "Text",
    like: "Cohere",
    ...JSON_BODY,
    limits: RERANK_LIMITS,
  },
  "POST /v2/rerank": {
    summary: "Sort documents by relevance; the response has documents as objects",
    group: "Text",
    like: "Cohere",
    ...JSON_BODY,
    limits: RERANK_LIMITS,
  },
  "POST /v1/moderations": {
    summary: "Classify texts and images by harmful categories",
    group: "Text",
    like: "OpenAI",
    ...JSON_BODY,
    limits: { lists: { input: MAX_TEXTS }, maps: {}, texts: ["model", "input"] },
  },
  "POST /v1/chat/moderations": {
    summary: "Classify the last messages of conversations by harmful categories",
    group: "Text",
    like: "Mistral",
    ...JSON_BODY,
    limits: {
      lists: { input: MAX_TEXTS, "input[].content": MAX_PARTS },
      maps: {},
      texts: ["model"],
    },
  },
  "POST /v1/images/generations": {
    summary: "Create images from a prompt",
    group: "Images",
    like: "OpenAI",
    ...JSON_BODY,
    limits: { lists: {}, maps: {}, texts: ["model", "prompt", "user"] },
  },
  "POST /v1/images/edits": {
    summary: "Edit images according to a prompt",
    group: "Images",
    like: "OpenAI",
    ...FORM,
  },
  "POST /v1/images/variations": {
    summary: "Create variations of an image",
    group: "Images",
    like: "OpenAI",
    ...FORM,
  },
  "GET /v1/audio/models": {
    summary: "List the speech models, at Open WebUI's path",
    group: "Audio",
  },
  "POST /v1/audio/speech": {
    summary: "Convert a text to speech",
    group: "Audio",
    like: "OpenAI",
    response: "audio/*",
    ...JSON_BODY,
    limits: { lists: {}, maps: {}, texts: ["model", "input", "instructions"] },
  },
  "POST /v1/audio/transcriptions": {
    summary: "Transcribe a recording",
    group: "Audio",
    like: "OpenAI",
    ...FORM,
  },
  "POST /v1/audio/translations": {
    summary: "Transcribe a recording and translate it into English",
    group: "Audio",
    like: "OpenAI",
    ...FORM,
  },
  "GET /v1/credits": {
    summary: "Get the balance of the key's account, and the remaining budget of the key",
    group: "Money",
  },
  "POST /v1/estimate": {
    summary: "Estimate the minimum and maximum cost of a request and its route; free of charge",
    isFree: true,
    group: "Money",
    ...JSON_BODY,
    limits: { lists: {}, maps: {}, texts: ["path"] },
  },
  "GET /v1/responses/{id...}": {
    summary: "Get a stored response",
    group: "Text",
  },
  "GET /v1/responses/{id}/input_items": {
    summary: "List the input items of a stored response",
    group: "Text",
  },
  "POST /v1/responses/{id}/cancel": {
    summary: "Always rejected: the gateway does not run responses in the background",
    isFree: true,
    group: "Text",
    like: "OpenAI",
  },
  "DELETE /v1/responses/{id...}": {
    summary: "Delete a response and its items",
    group: "Text",
  },
  "GET /v1/receipts/{id...}": {
    summary: "Get the receipt of a request by the x-request-id of its response",
    group: "Money",
  },
  "GET /healthz": {
    summary: "Check whether the process responds",
    group: "Operation",
    isOpen: true,
  },
  "GET /readyz": {
    summary: "Check whether the process can serve requests",
    group: "Operation",
    isOpen: true,
  },
  "GET /metrics": {
    summary: "Get metrics for Prometheus, with the token from metrics.token",
    group: "Operation",
    response: "text/plain",
  },
} as const satisfies Readonly<Record<string, ServiceRoute>>

/** The name of a service route, such as `POST /v1/messages`. */
export type ServiceName = keyof typeof SERVICE_ROUTES

type PathIn<Name> = Name extends `${Method} ${infer Path}` ? Path : never

/** The path of a service route that has a body. */
export type ServicePath = PathIn<Extract<ServiceName, `POST ${string}`>>

/**
 * Returns the limits of the JSON fields of an endpoint; undefined if the endpoint has no limits of its own.
 */
export function limitsAt(path: string): RequestLimits | undefined {
  const routes: Readonly<Record<string, ServiceRoute>> = SERVICE_ROUTES
  const name = `POST ${path}`
  return Object.hasOwn(routes, name) ? routes[name]?.limits : undefined
}

/** Returns the method and the path of a service route. */
export function serviceRoute(name: ServiceName): MethodAndPath {
  return methodAndPath(name)
}
