import { expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { ImagePart, Part } from "../../../src/canon/message.ts"
import type { ChatDialect } from "../../../src/canon/dialect.ts"
import { FEATURES, type Feature } from "../../../src/canon/features.ts"
import { openAiResponses, OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { assistant, conversation, requestOf, text, user } from "./support.ts"
import { GRAMMAR_TOOL } from "../grammar-tool.ts"

const TOOL = { name: "weather", parameters: { type: "object", required: ["city"] } }
const CALL: Part = { type: "tool-call", id: "1", name: "weather", arguments: "{}" }
const IMAGE: ImagePart = { type: "image", source: { type: "url", url: "https://a.b/c.png" } }
const PDF = { type: "base64", data: "JVBERi0=", mediaType: "application/pdf" } as const

function answered(
  content: readonly (ImagePart | { type: "text"; text: string })[],
  failed = false,
) {
  const result: Part = { type: "tool-result", id: "1", content, ...(failed ? { failed } : {}) }
  return conversation(user(text("?")), assistant(CALL), { role: "tool", parts: [result] })
}

function shown(...parts: Part[]): ChatRequest {
  return conversation(user(text("Look"), ...parts))
}

function remembered(part: Part): ChatRequest {
  return conversation(user(text("Hello")), assistant(part, text("Hi")), user(text("And?")))
}

/** For each feature, a request that uses it. */
const EXAMPLES: Readonly<Record<Feature, ChatRequest>> = {
  max_tokens: requestOf({ maxTokens: 20 }),
  temperature: requestOf({ temperature: 1.5 }),
  top_p: requestOf({ topP: 0.5 }),
  top_k: requestOf({ topK: 5 }),
  stop: requestOf({ stop: ["END"] }),
  seed: requestOf({ seed: 1 }),
  n: requestOf({ choices: 2 }),
  presence_penalty: requestOf({ presencePenalty: 0.5 }),
  frequency_penalty: requestOf({ frequencyPenalty: 0.5 }),
  logprobs: requestOf({ logprobs: true, topLogprobs: 2 }),
  tools: requestOf({ tools: [TOOL] }),
  "tools.strict": requestOf({ tools: [{ ...TOOL, strict: true }] }),
  "tools.grammar": requestOf({ tools: [GRAMMAR_TOOL] }),
  tool_choice: requestOf({ tools: [TOOL], toolChoice: { type: "tool", name: "weather" } }),
  parallel_tool_calls: requestOf({ tools: [TOOL], parallelToolCalls: false }),
  "tool_result.media": answered([IMAGE]),
  "tool_result.failed": answered([{ type: "text", text: "No." }], true),
  json_object: requestOf({ responseFormat: { type: "json-object" } }),
  json_schema: requestOf({ responseFormat: { type: "json-schema", name: "a", schema: {} } }),
  reasoning_effort: requestOf({ reasoning: { effort: "high" } }),
  reasoning_budget: requestOf({ reasoning: { budget: 1024 } }),
  reasoning: remembered({ type: "reasoning", text: "I think." }),
  "reasoning.signature": remembered({
    type: "reasoning",
    text: "I think.",
    signature: "s",
    signedBy: "openai-responses",
  }),
  system: conversation({ role: "system", parts: [text("Be kind.")] }, user(text("Hello"))),
  "system.position": conversation(user(text("Hi")), { role: "system", parts: [text("Stop.")] }),
  name: conversation({ ...user(text("Hello")), name: "Ann" }),
  "image.url": shown(IMAGE),
  "image.data": shown({ type: "image", source: { type: "base64", data: "iVBORw0KGgo=" } }),
  "image.detail": shown({ ...IMAGE, detail: "high" }),
  audio: shown({ type: "audio", source: { type: "base64", data: "UklGRg==" }, format: "wav" }),
  "output.image": requestOf({ modalities: ["text", "image"] }),
  image_config: requestOf({ imageShape: { aspectRatio: "16:9" } }),
  "output.audio": requestOf({
    modalities: ["text", "audio"],
    speech: { voice: "alloy", format: "wav" },
  }),
  "assistant.image": remembered(IMAGE),
  "file.url": shown({ type: "file", source: { type: "url", url: "https://a.b/c.pdf" } }),
  "file.data": shown({ type: "file", source: PDF }),
  refusal: remembered({ type: "refusal", text: "No." }),
  cache_control: shown({ type: "text", text: "Long", cache: { ttl: "5m" } }),
  prompt_cache_key: requestOf({ promptCacheKey: "k" }),
  verbosity: requestOf({ verbosity: "low" }),
  user: requestOf({ user: "u" }),
  safety_identifier: requestOf({ safetyIdentifier: "s" }),
  metadata: requestOf({ metadata: { a: "b" } }),
  service_tier: requestOf({ serviceTier: "flex" }),
}

function lossesOf(dialect: ChatDialect, request: ChatRequest): string[] {
  return dialect.encodeRequest(request).losses.map(({ name, effect }) => `${name}:${effect}`)
}

const DIALECTS = {
  OpenAI: OPENAI_RESPONSES,
  "a vendor with the opposite quirks": openAiResponses({
    encryptedReasoning: false,
    reasoningText: true,
    penalties: true,
  }),
}

for (const [vendor, dialect] of Object.entries(DIALECTS)) {
  for (const feature of Object.keys(FEATURES) as Feature[]) {
    const support = dialect.supports[feature]
    test(`the Responses encoder's support for ${feature} is ${support} at ${vendor}`, () => {
      // The relay makes one attempt for each choice, so the dialect loses nothing.
      const isWhole = support === "carried" || feature === "n"
      expect(lossesOf(dialect, EXAMPLES[feature])).toEqual(isWhole ? [] : [`${feature}:${support}`])
    })
  }
}

test("the Responses format does not declare features for which it has no field", () => {
  const { expresses } = OPENAI_RESPONSES
  for (const name of ["stop", "seed", "n", "top_k", "name"] as const) {
    expect(expresses.has(name)).toBe(false)
  }
  expect(expresses.has("cache_control")).toBe(true)
})

test("the Responses encoder detects cache markers at every position", () => {
  const cache = {}
  const examples: ChatRequest[] = [
    conversation({ role: "system", parts: [{ type: "text", text: "Be kind.", cache }] }),
    shown({ ...IMAGE, cache }),
    shown({ type: "file", source: PDF, cache }),
    remembered({ type: "text", text: "Hi", cache }),
    requestOf({ tools: [{ ...TOOL, cache }] }),
    conversation(assistant({ ...CALL, cache }), {
      role: "tool",
      parts: [{ type: "tool-result", id: "1", content: [] }],
    }),
    conversation(assistant(CALL), {
      role: "tool",
      parts: [{ type: "tool-result", id: "1", content: [{ type: "text", text: "a", cache }] }],
    }),
    conversation(assistant(CALL), {
      role: "tool",
      parts: [{ type: "tool-result", id: "1", content: [], cache }],
    }),
  ]
  for (const example of examples) {
    expect(lossesOf(OPENAI_RESPONSES, example)).toEqual(["cache_control:dropped"])
  }
})

test("the Responses encoder reports the names of other dialects' fields as lost", () => {
  const extra = { dialect: "openai-chat", fields: { logit_bias: {}, prediction: {} } } as const
  expect(lossesOf(OPENAI_RESPONSES, requestOf({ extra }))).toEqual([
    "logit_bias:dropped",
    "prediction:dropped",
  ])
})
