import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import { FEATURES, type Feature, type Support } from "../../../src/canon/features.ts"
import {
  ANTHROPIC_MESSAGES,
  anthropicMessages,
} from "../../../src/dialects/anthropic-messages/index.ts"
import { GRAMMAR_TOOL } from "../grammar-tool.ts"

const HI: Part = { type: "text", text: "Hi" }
const USER: Message = { role: "user", parts: [HI] }
const TOOLS = [{ name: "f", parameters: { type: "object" } }]
const PNG = { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" } as const
const PDF = { type: "base64", data: "JVBERi0=", mediaType: "application/pdf" } as const

function shown(...parts: Part[]): Partial<ChatRequest> {
  return { messages: [{ role: "user", parts: [HI, ...parts] }] }
}

function said(...parts: Part[]): Partial<ChatRequest> {
  return { messages: [USER, { role: "assistant", parts: [...parts, HI] }, USER] }
}

function answered(fields: Partial<Extract<Part, { type: "tool-result" }>>): Partial<ChatRequest> {
  const call: Part = { type: "tool-call", id: "a", name: "f", arguments: "{}" }
  const result: Part = { type: "tool-result", id: "a", content: [], ...fields }
  return {
    tools: TOOLS,
    messages: [USER, { role: "assistant", parts: [call] }, { role: "tool", parts: [result] }],
  }
}

/** For each feature, a request that uses it. */
const EXAMPLES: Readonly<Record<Feature, Partial<ChatRequest>>> = {
  max_tokens: { maxTokens: 50 },
  temperature: { temperature: 1.5 },
  top_p: { topP: 0.9 },
  top_k: { topK: 40 },
  stop: { stop: ["END"] },
  seed: { seed: 1 },
  n: { choices: 2 },
  presence_penalty: { presencePenalty: 1 },
  frequency_penalty: { frequencyPenalty: 1 },
  logprobs: { logprobs: true, topLogprobs: 2 },
  tools: { tools: TOOLS },
  "tools.strict": { tools: [{ ...TOOLS[0]!, strict: true }] },
  "tools.grammar": { tools: [GRAMMAR_TOOL] },
  tool_choice: { tools: TOOLS, toolChoice: { type: "required" } },
  parallel_tool_calls: { tools: TOOLS, parallelToolCalls: false },
  "tool_result.media": answered({ content: [{ type: "image", source: PNG }] }),
  "tool_result.failed": answered({ failed: true }),
  json_object: { responseFormat: { type: "json-object" } },
  json_schema: { responseFormat: { type: "json-schema", name: "x", schema: { type: "object" } } },
  reasoning_effort: { reasoning: { effort: "low" } },
  reasoning_budget: { reasoning: { budget: 2000 } },
  reasoning: said({ type: "reasoning", text: "Hm." }),
  "reasoning.signature": said({
    type: "reasoning",
    text: "Hm.",
    signature: "s",
    signedBy: "anthropic-messages",
  }),
  system: { messages: [{ role: "system", parts: [HI] }, USER] },
  "system.position": { messages: [USER, { role: "system", parts: [HI] }] },
  name: { messages: [{ ...USER, name: "Ann" }] },
  "image.url": shown({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
  "image.data": shown({ type: "image", source: PNG }),
  "image.detail": shown({ type: "image", source: PNG, detail: "low" }),
  audio: shown({ type: "audio", source: { type: "base64", data: "eA==" }, format: "wav" }),
  "output.image": { modalities: ["text", "image"] },
  image_config: { imageShape: { aspectRatio: "16:9" } },
  "output.audio": { modalities: ["text", "audio"], speech: { voice: "alloy", format: "wav" } },
  "assistant.image": said({ type: "image", source: PNG }),
  "file.url": shown({ type: "file", source: { type: "url", url: "https://example.com/a.pdf" } }),
  "file.data": shown({ type: "file", source: PDF }),
  refusal: said({ type: "refusal", text: "No." }),
  cache_control: { messages: [{ role: "user", parts: [{ ...HI, cache: { ttl: "1h" } }] }] },
  prompt_cache_key: { promptCacheKey: "k" },
  verbosity: { verbosity: "low" },
  user: { user: "u" },
  safety_identifier: { safetyIdentifier: "s" },
  metadata: { metadata: { a: "b" } },
  service_tier: { serviceTier: "priority" },
}

function effectOf(feature: Feature, dialect = ANTHROPIC_MESSAGES): Support | "emulated" {
  const { losses } = dialect.encodeRequest({
    model: "claude",
    messages: [USER],
    stream: false,
    streamUsage: false,
    choices: 1,
    maxTokens: 8000,
    ...EXAMPLES[feature],
  })
  expect(losses.every(({ name }) => name === feature)).toBe(true)
  return losses[0]?.effect ?? "carried"
}

const features = Object.keys(FEATURES) as Feature[]

describe("declared support for Anthropic features", () => {
  for (const feature of features) {
    // The relay sends one request for each choice.
    if (feature === "n") continue
    test(`matches the encoder's output for ${feature}`, () =>
      expect(effectOf(feature)).toBe(ANTHROPIC_MESSAGES.supports[feature]))
  }

  test("matches the encoder's output for each variant of the dialect", () => {
    const without = { sampling: false, structuredOutput: false, thinking: "adaptive" } as const
    for (const other of [anthropicMessages(without), anthropicMessages({ maxTemperature: 2 })]) {
      for (const feature of features) {
        if (feature === "n") continue
        expect([feature, effectOf(feature, other)]).toEqual([feature, other.supports[feature]])
      }
    }
  })
})

test("Anthropic requests can express every canonical feature except those in a fixed list", () => {
  const { expresses } = ANTHROPIC_MESSAGES
  expect([...expresses].filter((feature) => !features.includes(feature))).toEqual([])
  expect(features.filter((feature) => !expresses.has(feature))).toEqual([
    "seed",
    "n",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "tools.grammar",
    "json_object",
    "name",
    "image.detail",
    "audio",
    "output.image",
    "image_config",
    "output.audio",
    "assistant.image",
    "refusal",
    "prompt_cache_key",
    "verbosity",
    "safety_identifier",
    "metadata",
  ])
})
