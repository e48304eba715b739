import type { Format, Situation, Turn } from "./situation.ts"

/** A request that a provider rejects for a reason that the format or the vendor's quirks already handle. */
export interface DialectRequest {
  readonly name: string
  readonly at: readonly (readonly [vendor: string, model: string])[]
  readonly asked: Situation
  /** Matches the provider's error for the unchanged request. */
  readonly rejection: RegExp
  /** The reported loss. Null: there is no loss. Absent: the loss differs between formats. */
  readonly loss?: string | null
  /** The formats in which the value is allowed; absent: all formats. */
  readonly formats?: readonly Format[]
}

const SCHEMA = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
}
const CALLED: readonly Turn[] = [
  { role: "user", text: "Look." },
  { role: "assistant", call: "call_with_a_long_id" },
  { role: "user", result: "call_with_a_long_id" },
]

export const DIALECT_REQUESTS: readonly DialectRequest[] = [
  {
    name: "a seed",
    at: [["mistral", "mistral-large-latest"]],
    asked: { seed: 7 },
    rejection: /extra_forbidden/,
    loss: null,
  },
  {
    name: "ids of calls",
    at: [["mistral", "mistral-large-latest"]],
    asked: { turns: CALLED, tools: [{ name: "look" }] },
    rejection: /length of 9/,
    loss: null,
  },
  {
    name: "a user",
    at: [["mistral", "mistral-large-latest"]],
    asked: { user: "someone" },
    rejection: /extra_forbidden/,
    loss: "user:dropped",
  },
  {
    name: "an effort that it does not have",
    at: [
      ["mistral", "mistral-medium-latest"],
      ["groq", "qwen/qwen3.6-27b"],
    ],
    asked: { effort: "low" },
    rejection: /`reasoning_effort` must be one of/,
    loss: "reasoning_effort:approximated",
  },
  {
    name: "a temperature above its range",
    at: [
      ["mistral", "mistral-large-latest"],
      ["zai", "glm-4.6"],
    ],
    asked: { temperature: 1.8 },
    rejection: /less than or equal to 1.5|must be in \[0.0, 1.0\]/,
    formats: ["chat", "responses", "gemini"],
  },
  {
    name: "a cache key",
    at: [
      ["groq", "llama-3.3-70b-versatile"],
      ["nvidia", "meta/llama-3.3-70b-instruct"],
    ],
    asked: { cacheKey: "k" },
    rejection: /unsupported|Unsupported/,
    loss: "prompt_cache_key:dropped",
  },
  {
    name: "log probabilities",
    at: [["groq", "llama-3.3-70b-versatile"]],
    asked: { logprobs: true },
    rejection: /logprobs/,
    loss: "logprobs:dropped",
  },
  {
    name: "two choices",
    at: [
      ["groq", "llama-3.3-70b-versatile"],
      ["moonshot", "kimi-k2.6"],
    ],
    asked: { choices: 2 },
    rejection: /at most 1|invalid n/,
    loss: null,
  },
  {
    name: "a verbosity",
    at: [["nvidia", "meta/llama-3.3-70b-instruct"]],
    asked: { verbosity: "low" },
    rejection: /Unsupported parameter/,
    loss: "verbosity:dropped",
  },
  {
    name: "penalties",
    at: [["cerebras", "gpt-oss-120b"]],
    asked: { presencePenalty: 0.5 },
    rejection: /property 'presence_penalty' is unsupported/,
    loss: "presence_penalty:dropped",
  },
  {
    name: "penalties of Gemini, which are learned",
    at: [["google", "gemini-2.5-flash"]],
    asked: { presencePenalty: 0.5 },
    rejection: /Penalty is not enabled/,
    loss: "presence_penalty:dropped",
  },
  {
    name: "a schema together with tools",
    at: [["google", "gemini-2.5-flash"]],
    asked: { schema: SCHEMA, tools: [{ name: "look" }] },
    rejection: /is unsupported/,
  },
  {
    name: "a call without a signature, with words next to its result",
    at: [["google", "gemini-3.6-flash"]],
    asked: {
      turns: [...CALLED.slice(0, 2), { role: "user", result: "call_with_a_long_id", text: "And?" }],
      tools: [{ name: "look" }],
    },
    rejection: /missing a thought_signature/,
    loss: null,
  },
  {
    name: "reasoning that cannot be switched off",
    at: [["google", "gemini-2.5-pro"]],
    asked: { effort: "none" },
    rejection: /Budget 0 is invalid/,
  },
  {
    name: "a level of thinking",
    at: [
      ["google", "gemini-2.5-pro"],
      ["google", "gemini-2.5-flash"],
      ["google", "gemini-2.5-flash-lite"],
      ["google", "gemini-2.0-flash"],
    ],
    asked: { effort: "high" },
    rejection: /Thinking level is not supported/,
  },
  {
    name: "a budget out of range",
    at: [["google", "gemini-2.5-flash-lite"]],
    asked: { budget: 100 },
    rejection: /thinking budget 100 is invalid/,
    formats: [],
  },
  {
    name: "a temperature",
    at: [["anthropic", "claude-opus-4-8"]],
    asked: { temperature: 0.3 },
    rejection: /`temperature` is deprecated/,
    loss: "temperature:dropped",
  },
  {
    name: "top_k",
    at: [["anthropic", "claude-opus-4-7"]],
    asked: { topK: 40 },
    rejection: /`top_k` is deprecated/,
    loss: "top_k:dropped",
  },
  {
    name: "temperature and top_p",
    at: [["anthropic", "claude-sonnet-4-5"]],
    asked: { temperature: 0.3, topP: 0.9 },
    rejection: /cannot both be specified/,
    loss: "top_p:dropped",
  },
  {
    name: "a budget",
    at: [["anthropic", "claude-opus-4-8"]],
    asked: { budget: 2048 },
    rejection: /thinking\.type\.enabled.{1,4} is not supported/,
  },
  {
    name: "an effort that it does not have",
    at: [["anthropic", "claude-opus-4-6"]],
    asked: { effort: "xhigh" },
    rejection: /does not support effort level 'xhigh'/,
  },
  {
    name: "an effort",
    at: [
      ["anthropic", "claude-haiku-4-5"],
      ["anthropic", "claude-sonnet-4-20250514"],
    ],
    asked: { effort: "high" },
    rejection: /adaptive thinking is not supported|effort parameter/,
  },
]
