import { expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { ImagePart, Part } from "../../../src/canon/message.ts"
import { FEATURES, type Feature } from "../../../src/canon/features.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { assistant, conversation, encoded, requestOf, text, user } from "./fixtures.ts"
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
  return conversation(user(text("Hello")), assistant(part, text("Hi")))
}

/** For each feature, a request that uses it. */
const EXAMPLES: Readonly<Record<Feature, ChatRequest>> = {
  max_tokens: requestOf({ maxTokens: 10 }),
  temperature: requestOf({ temperature: 0.5 }),
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
  "reasoning.signature": remembered({ type: "reasoning", text: "", signature: "s" }),
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

for (const feature of Object.keys(FEATURES) as Feature[]) {
  const support = COHERE_CHAT.supports[feature]
  test(`the Cohere encoder's support for ${feature} is ${support}`, () => {
    // The relay makes one attempt for each choice, so the dialect loses nothing.
    const isWhole = support === "carried" || feature === "n"
    expect(encoded(EXAMPLES[feature]).losses).toEqual(isWhole ? [] : [`${feature}:${support}`])
  })
}

test("the Cohere encoder detects cache markers at every position", () => {
  const cache = { ttl: "1h" }
  const requests = [
    requestOf({ tools: [{ ...TOOL, cache }] }),
    conversation(user({ ...IMAGE, cache })),
    conversation(user(text("?")), assistant({ ...CALL, cache })),
    conversation(user(text("?")), {
      role: "tool",
      parts: [{ type: "tool-result", id: "1", content: [{ type: "text", text: "a" }], cache }],
    }),
    conversation({ role: "system", parts: [{ type: "text", text: "Be kind.", cache }] }),
  ]
  for (const request of requests) expect(encoded(request).losses).toEqual(["cache_control:dropped"])
})
