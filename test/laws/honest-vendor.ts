import * as fc from "fast-check"
import { framesOf } from "../relay/billable-frames.ts"
import { streamed } from "../relay/scripted-vendor.ts"
import { MODELS, SAMPLES } from "../relay/vocabulary-samples.ts"

type Json = Record<string, unknown>

/**
 * A request, and the reaction of a vendor that follows its documented rules. Shares are fractions of the allowed
 * maximum.
 */
export interface HonestCase {
  readonly endpoint: "chat" | "messages" | "responses"
  readonly model: number
  readonly sample: number
  readonly times: number
  readonly maxTokens: number | null
  readonly choices: number
  readonly stream: boolean
  readonly tier: "auto" | "priority" | "flex" | "batch" | null
  readonly isTierServed: boolean
  readonly lifetime: "5m" | "1h" | null
  readonly hasTool: boolean
  /**
   * For Anthropic's messages: if it is not null, the tool is an advisor. If it is above 0, it is the limit of an
   * advisor's response.
   */
  readonly advice: number | null
  readonly callLimit: number | null
  readonly speaks: boolean
  /** Shares of the usage that the vendor may report, from 0 to 1. */
  readonly output: number
  readonly calls: number
  readonly results: number
  readonly cached: number
  readonly written: number
  /** The balance in nanocredits. */
  readonly balance: number
  /** If it is not null, the balance is this multiple of the highest price of the input. */
  readonly tight: number | null
  /** Number of concurrent requests. */
  readonly atOnce: number
}

const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }))

export const honestCases: fc.Arbitrary<HonestCase> = fc.record({
  endpoint: fc.constantFrom("chat", "messages", "responses"),
  model: fc.integer({ min: 0, max: MODELS.length - 1 }),
  sample: fc.integer({ min: 0, max: SAMPLES.length - 1 }),
  times: fc.integer({ min: 1, max: 40 }),
  maxTokens: fc.option(fc.integer({ min: 1, max: 3_000 })),
  choices: fc.integer({ min: 1, max: 3 }),
  stream: fc.boolean(),
  tier: fc.option(fc.constantFrom("auto", "priority", "flex", "batch")),
  isTierServed: fc.boolean(),
  lifetime: fc.option(fc.constantFrom("5m", "1h")),
  hasTool: fc.boolean(),
  advice: fc.option(fc.constantFrom(0, 1_024, 20_000)),
  callLimit: fc.option(fc.integer({ min: 1, max: 30 })),
  speaks: fc.boolean(),
  output: share,
  calls: share,
  results: share,
  cached: share,
  written: share,
  balance: fc.double({ min: 6, max: 9.7, noNaN: true }).map((power) => Math.round(10 ** power)),
  tight: fc.option(fc.double({ min: 0.5, max: 4, noNaN: true }), { freq: 1 }),
  atOnce: fc.integer({ min: 1, max: 3 }),
})

/** Maximum context of the models, and maximum length of their responses, in tokens. */
export const CONTEXT = 200_000
export const MAX_OUTPUT_TOKENS = 2_000
const RESULT = 8_000
/** Number of calls to a tool that has no limit. */
const USUAL_CALLS = 10
/** A more expensive model of the same provider. */
export const ADVISER = "adviser"
/** The length of its advice without a limit. */
const MAX_ADVICE_TOKENS = 32_000

export const PATHS = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
} as const

/**
 * Returns the balance of the account in nanocredits.
 * @param rate price of input in nanocredits per token.
 */
export function balanceOf(one: HonestCase, rate: number): number {
  return one.tight === null ? one.balance : Math.ceil(inputOf(one) * rate * one.tight)
}

/** Returns the body of a request. */
export function bodyOf(one: HonestCase): Json {
  const text = (SAMPLES[one.sample]?.text ?? "").repeat(one.times)
  const model = `${one.endpoint}/${MODELS[one.model]}`
  const stream = one.stream ? { stream: true } : {}
  switch (one.endpoint) {
    case "chat":
      return {
        model,
        messages: [{ role: "user", content: text }],
        ...stream,
        ...(one.maxTokens !== null && { max_tokens: one.maxTokens }),
        ...(one.choices > 1 && { n: one.choices }),
        ...(one.tier !== null && { service_tier: one.tier }),
        ...(one.speaks && { modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } }),
      }
    case "messages":
      return { model, ...stream, ...claudeBody(one, text) }
    case "responses":
      return {
        model,
        input: text,
        ...stream,
        ...(one.maxTokens !== null && { max_output_tokens: Math.max(16, one.maxTokens) }),
        ...(one.tier !== null && { service_tier: one.tier }),
        ...(one.hasTool && { tools: [{ type: "web_search" }] }),
        ...(one.hasTool && one.callLimit !== null && { max_tool_calls: one.callLimit }),
      }
  }
}

function claudeBody(one: HonestCase, text: string): Json {
  const { lifetime, hasTool, callLimit, maxTokens, advice } = one
  const cache = lifetime && { cache_control: { type: "ephemeral", ttl: lifetime } }
  const limit = callLimit !== null && { max_uses: callLimit }
  const tool =
    advice === null
      ? { type: "web_search_20250305", name: "web_search", ...limit }
      : {
          type: "advisor_20260301",
          name: "advisor",
          model: ADVISER,
          ...limit,
          ...(advice > 0 && { max_tokens: advice }),
        }
  return {
    messages: [{ role: "user", content: [{ type: "text", text, ...cache }] }],
    max_tokens: maxTokens ?? MAX_OUTPUT_TOKENS,
    ...(hasTool && { tools: [tool] }),
  }
}

/** Returns the response of a vendor that respects the limits of the request. */
export function responseOf(one: HonestCase, sent: Json): Response {
  const { endpoint } = one
  const response = { chat, messages, responses }[endpoint](one, sent)
  if (sent["stream"] !== true) return Response.json(response)
  return streamed(framesOf(PATHS[endpoint], response))
}

function inputOf(one: HonestCase): number {
  const { counts = [] } = SAMPLES[one.sample] ?? {}
  // Adds tokens for the format around the text.
  return (counts[one.model] ?? 0) * one.times + 12
}

/** Returns the billed input tokens. In each turn of a tool, the model reads all earlier input again. */
function readOf(one: HonestCase, calls: number, result = part(RESULT, one.results)): number {
  let sum = 0
  for (let turn = 0; turn <= calls; turn++) sum += readIn(one, turn, result)
  return sum
}

function readIn(one: HonestCase, turn: number, result: number): number {
  return Math.min(CONTEXT, inputOf(one) + turn * result)
}

function part(of: number, share: number): number {
  return Math.floor(of * share)
}

function chat(one: HonestCase, sent: Json): Json {
  const limit = Number(sent["max_tokens"] ?? sent["max_completion_tokens"] ?? MAX_OUTPUT_TOKENS)
  const output = part(limit, one.output) * Number(sent["n"] ?? 1)
  const input = inputOf(one)
  const audio = sent["modalities"] === undefined ? 0 : part(output, one.written)
  const choice = { message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }
  const choices = Array.from({ length: Number(sent["n"] ?? 1) }, (_, index) => ({
    index,
    ...choice,
  }))
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "up",
    choices,
    ...tierOf(one, sent),
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: part(input, one.cached) },
      completion_tokens_details: { audio_tokens: audio },
    },
  }
}

function tierOf({ tier, isTierServed }: HonestCase, sent: Json): Json {
  if (tier === null || sent["service_tier"] === undefined) return {}
  const served = tier === "auto" ? "priority" : tier
  return { service_tier: isTierServed ? served : "default" }
}

function messages(one: HonestCase, sent: Json): Json {
  const [tool] = (sent["tools"] ?? []) as Json[]
  const calls = tool === undefined ? 0 : part(Number(tool["max_uses"] ?? USUAL_CALLS), one.calls)
  const isAdvised = tool?.["name"] === "advisor"
  const advice = part(Number(tool?.["max_tokens"] ?? MAX_ADVICE_TOKENS), one.results)
  const input = isAdvised ? readOf(one, calls, advice) : readOf(one, calls)
  const output = part(Number(sent["max_tokens"]), one.output)
  const written = one.lifetime === null ? 0 : part(input, one.written)
  const long = one.lifetime === "1h" ? written : 0
  const read = part(input - written, one.cached)
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "up",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: input - written - read,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      cache_creation: {
        ephemeral_1h_input_tokens: long,
        ephemeral_5m_input_tokens: written - long,
      },
      output_tokens: output,
      ...(isAdvised
        ? { iterations: advised({ one, calls, advice, input, output }) }
        : { server_tool_use: { web_search_requests: calls } }),
    },
  }
}

interface Advised {
  readonly one: HonestCase
  readonly calls: number
  readonly advice: number
  readonly input: number
  readonly output: number
}

/** Returns the calls of both models. The advisor reads the input of the main model. */
function advised({ one, calls, advice, input, output }: Advised): Json[] {
  const consulted = Array.from({ length: calls }, (_, turn) => ({
    type: "advisor_message",
    model: ADVISER,
    input_tokens: readIn(one, turn, advice),
    output_tokens: advice,
  }))
  return [{ type: "message", input_tokens: input, output_tokens: output }, ...consulted]
}

function responses(one: HonestCase, sent: Json): Json {
  const calls =
    sent["tools"] === undefined ? 0 : part(Number(sent["max_tool_calls"] ?? USUAL_CALLS), one.calls)
  const input = readOf(one, calls)
  const output = part(Number(sent["max_output_tokens"] ?? MAX_OUTPUT_TOKENS), one.output)
  const text = { type: "output_text", text: "Hello", annotations: [], logprobs: [] }
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "up",
    output: [
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [text] },
    ],
    ...tierOf(one, sent),
    tool_usage: { web_search: { num_requests: calls } },
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: { cached_tokens: part(input, one.cached) },
    },
  }
}
