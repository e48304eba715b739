import { type AnthropicProvider, createAnthropic } from "@ai-sdk/anthropic"
import { createOpenResponses } from "@ai-sdk/open-responses"
import { createOpenAI } from "@ai-sdk/openai"
import { APICallError, streamText } from "ai"
import { type Package, SdkConversation } from "./ai-sdk-conversation.ts"
import { CHUNKS_READ, type TestedClient } from "./conversation.ts"
import type { SixUpstreams } from "./six-upstreams.ts"

/** The client recognizes OpenAI's reasoning models by their names, and the names in these tests differ. */
const OPENAI_THINKING = { forceReasoning: true, reasoningEffort: "low" } as const

/** Package `ai` with @ai-sdk/openai and its chat models. */
export const AI_SDK_CHAT_CLIENT: TestedClient = {
  ...sdkClient({
    model: (upstreams, id) => openAiOf(upstreams).chat(id),
    options: {},
    thinking: { openai: OPENAI_THINKING },
  }),
  name: "AI SDK openai chat",
  hasStop: true,
  marksCache: false,
  asksForSchema: true,
  showsThoughts: false,
  returnsSignatures: () => false,
}

/** Package `ai` with @ai-sdk/openai and its responses models. */
export const AI_SDK_RESPONSES_CLIENT: TestedClient = {
  ...sdkClient({
    model: (upstreams, id) => openAiOf(upstreams).responses(id),
    // Without this option, the client sends references to items that it assumes the vendor has stored.
    options: { openai: { store: false } },
    thinking: { openai: { ...OPENAI_THINKING, store: false, reasoningSummary: "auto" } },
  }),
  name: "AI SDK openai responses",
  hasStop: false,
  marksCache: false,
  asksForSchema: true,
  showsThoughts: true,
  returnsSignatures: () => true,
}

/** Package `ai` with @ai-sdk/open-responses. */
export const AI_SDK_OPEN_RESPONSES_CLIENT: TestedClient = {
  ...sdkClient({
    model: (upstreams, id) => openResponsesOf(upstreams)(id),
    options: {},
    thinking: { gateway: { reasoningEffort: "low", reasoningSummary: "auto" } },
  }),
  name: "AI SDK open-responses",
  hasStop: false,
  marksCache: false,
  asksForSchema: true,
  showsThoughts: true,
  // The client does not request encrypted reasoning from OpenAI. It refers to the items that OpenAI stores instead.
  returnsSignatures: (upstream) => upstream !== "openai-responses",
}

/** Package `ai` with @ai-sdk/anthropic. */
export const AI_SDK_ANTHROPIC_CLIENT: TestedClient = {
  ...sdkClient({
    model: (upstreams, id) => anthropicOf(upstreams)(id),
    options: {},
    thinking: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
  }),
  name: "AI SDK anthropic",
  hasStop: true,
  marksCache: true,
  asksForSchema: false,
  showsThoughts: true,
  // A message has no field for the signature that Gemini sends after streamed text.
  returnsSignatures: (upstream, isStreamed) => upstream !== "gemini" || !isStreamed,
  errors: {
    "429": { type: Error, status: 529, word: "overloaded_error" },
    "500": { type: Error, status: 502, word: "api_error" },
    "401": { type: Error, status: 502, word: "api_error" },
    unknown: { type: Error, status: 404, word: "not_found_error" },
  },
  readError: (error) => told(error, "type"),
}

/** Returns the parts that are the same for all packages. */
function sdkClient(own: Package) {
  return {
    finishes: {
      stop: "stop",
      length: "length",
      calls: "tool-calls",
      stopString: "stop",
    },
    begin: (upstreams: SixUpstreams) => new SdkConversation(upstreams, own),
    async leave(upstreams: SixUpstreams, model: string, text: string) {
      const leaving = new AbortController()
      const { textStream } = streamText({
        model: own.model(upstreams, model),
        prompt: text,
        abortSignal: leaving.signal,
        providerOptions: own.options,
      })
      let chunks = 0
      for await (const chunk of textStream) {
        if (chunk !== "") chunks++
        if (chunks === CHUNKS_READ) break
      }
      leaving.abort()
    },
    // Each package has its own copy of the error class, which a mark identifies.
    errors: {
      "429": { type: Error, status: 503, word: "upstream_overloaded" },
      "500": { type: Error, status: 502, word: "upstream_error" },
      "401": { type: Error, status: 502, word: "upstream_error" },
      unknown: { type: Error, status: 404, word: "model_not_found" },
    },
    brokenStream: Error,
    readError: (error: unknown) => told(error, "code"),
  } as const
}

function told(error: unknown, member: "code" | "type") {
  if (!APICallError.isInstance(error)) throw error
  const body = JSON.parse(error.responseBody ?? "") as { error: Record<string, string> }
  return { status: error.statusCode ?? 0, word: body.error[member] ?? "" }
}

function openAiOf(upstreams: SixUpstreams) {
  return createOpenAI({
    apiKey: upstreams.caller.key,
    baseURL: upstreams.baseUrl,
    fetch: upstreams.fetch,
  })
}

function openResponsesOf(upstreams: SixUpstreams) {
  return createOpenResponses({
    name: "gateway",
    url: `${upstreams.baseUrl}/responses`,
    apiKey: upstreams.caller.key,
    fetch: upstreams.fetch,
  })
}

function anthropicOf(upstreams: SixUpstreams): AnthropicProvider {
  return createAnthropic({
    apiKey: upstreams.caller.key,
    baseURL: upstreams.baseUrl,
    fetch: upstreams.fetch,
  })
}
