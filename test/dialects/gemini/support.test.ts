import { expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import { type Feature, FEATURES } from "../../../src/canon/features.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { answered, asked, called, encode } from "./support.ts"
import { GRAMMAR_TOOL } from "../grammar-tool.ts"

const IMAGE = { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" } as const
const ADDRESS = { type: "url", url: "https://host/a" } as const

function said(...parts: Part[]): Partial<ChatRequest> {
  return { messages: [asked("a"), { role: "assistant", parts }] }
}

function shown(part: Part): Partial<ChatRequest> {
  return { messages: [{ role: "user", parts: [part] }] }
}

function toolAnswered(part: Partial<Extract<Part, { type: "tool-result" }>>): Partial<ChatRequest> {
  const result: Message = {
    role: "tool",
    parts: [{ type: "tool-result", id: "1", content: [], ...part }],
  }
  return { messages: [asked("a"), called("1"), result] }
}

const tools = [{ name: "f" }]

/** For each feature, a request that uses only this feature. */
const EXAMPLES: Readonly<Record<Feature, Partial<ChatRequest>>> = {
  max_tokens: { maxTokens: 10 },
  temperature: { temperature: 2 },
  top_p: { topP: 0.5 },
  top_k: { topK: 5 },
  stop: { stop: ["x"] },
  seed: { seed: 1 },
  n: { choices: 2 },
  presence_penalty: { presencePenalty: 1 },
  frequency_penalty: { frequencyPenalty: 1 },
  logprobs: { logprobs: true, topLogprobs: 2 },
  tools: { tools, messages: [asked("a"), called("1"), answered("1", "b")] },
  "tools.strict": { tools: [{ name: "f", strict: true }] },
  "tools.grammar": { tools: [GRAMMAR_TOOL] },
  tool_choice: { tools, toolChoice: { type: "tool", name: "f" } },
  parallel_tool_calls: { tools, parallelToolCalls: false },
  "tool_result.media": toolAnswered({ content: [{ type: "image", source: IMAGE }] }),
  "tool_result.failed": toolAnswered({ failed: true }),
  json_object: { responseFormat: { type: "json-object" } },
  json_schema: { responseFormat: { type: "json-schema", name: "n", schema: {} } },
  reasoning_effort: { reasoning: { effort: "low" } },
  reasoning_budget: { reasoning: { budget: 2000 } },
  reasoning: said({ type: "reasoning", text: "t" }),
  "reasoning.signature": said({ type: "reasoning", text: "t", signature: "s", signedBy: "gemini" }),
  system: { messages: [{ role: "system", parts: [{ type: "text", text: "s" }] }, asked("a")] },
  "system.position": {
    messages: [asked("a"), { role: "system", parts: [{ type: "text", text: "s" }] }],
  },
  name: { messages: [{ ...asked("a"), name: "Ada" }] },
  "image.url": shown({ type: "image", source: ADDRESS }),
  "image.data": shown({ type: "image", source: IMAGE }),
  "image.detail": shown({ type: "image", source: IMAGE, detail: "low" }),
  audio: shown({ type: "audio", source: { type: "base64", data: "AAAA" }, format: "wav" }),
  "output.image": { modalities: ["text", "image"] },
  image_config: { imageShape: { aspectRatio: "16:9" } },
  "output.audio": { modalities: ["text", "audio"], speech: { voice: "alloy", format: "wav" } },
  "assistant.image": said({ type: "image", source: IMAGE }),
  "file.url": shown({ type: "file", source: ADDRESS }),
  "file.data": shown({ type: "file", source: { type: "base64", data: "JVBERi0=" } }),
  refusal: said({ type: "refusal", text: "No." }),
  cache_control: shown({ type: "text", text: "a", cache: { ttl: "5m" } }),
  prompt_cache_key: { promptCacheKey: "k" },
  verbosity: { verbosity: "low" },
  user: { user: "u" },
  safety_identifier: { safetyIdentifier: "u" },
  metadata: { metadata: { team: "research" } },
  service_tier: { serviceTier: "flex" },
}

/** Features that the gateway replaces by fetching the file. An address that remains is omitted. */
const FETCHED: ReadonlySet<string> = new Set(["image.url", "file.url"])

for (const feature of Object.keys(FEATURES) as Feature[]) {
  const support = GEMINI.supports[feature]
  test(`the Gemini encoder's support for ${feature} is ${support}`, () => {
    const { losses } = encode(EXAMPLES[feature])
    const effect = FETCHED.has(feature) ? "dropped" : support
    expect(losses).toEqual(support === "carried" ? [] : [`${feature}:${effect}`])
  })
}
