import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Message, Part, ToolResultPart } from "../../../src/canon/message.ts"
import { type Feature, FEATURES } from "../../../src/canon/features.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import type { OpenAiChatQuirks } from "../../../src/dialects/openai-chat/quirks/index.ts"
import { ASKED, KEEPING } from "./examples.ts"
import { GRAMMAR_TOOL } from "../grammar-tool.ts"

const PDF = { type: "base64", data: "JVBERg==", mediaType: "application/pdf" } as const
const PNG = { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" } as const

function says(...parts: Part[]): Partial<ChatRequest> {
  return { messages: [{ role: "user", parts }] }
}

function said(...parts: Part[]): Partial<ChatRequest> {
  return { messages: [{ role: "assistant", parts }] }
}

function answered(response: Partial<ToolResultPart>): Partial<ChatRequest> {
  return {
    messages: [
      { role: "tool", parts: [{ type: "tool-result", id: "a", content: [], ...response }] },
    ],
  }
}

function instructs(...roles: Message["role"][]): Partial<ChatRequest> {
  return { messages: roles.map((role) => ({ role, parts: [{ type: "text", text: "a" }] })) }
}

const TOOLS = [{ name: "f" }]

/** For each feature, a request that uses it. */
const EXAMPLES: Readonly<Record<Feature, Partial<ChatRequest>>> = {
  max_tokens: { maxTokens: 5 },
  temperature: { temperature: 2 },
  top_p: { topP: 0.5 },
  top_k: { topK: 5 },
  stop: { stop: ["a"] },
  seed: { seed: 1 },
  n: { choices: 2 },
  presence_penalty: { presencePenalty: 1 },
  frequency_penalty: { frequencyPenalty: 1 },
  logprobs: { logprobs: true },
  tools: { tools: TOOLS },
  "tools.strict": { tools: [{ name: "f", strict: true }] },
  "tools.grammar": { tools: [GRAMMAR_TOOL] },
  tool_choice: { tools: TOOLS, toolChoice: { type: "tool", name: "f" } },
  parallel_tool_calls: { tools: TOOLS, parallelToolCalls: false },
  "tool_result.media": answered({ content: [{ type: "image", source: PNG }] }),
  "tool_result.failed": answered({ failed: true }),
  json_object: { responseFormat: { type: "json-object" } },
  json_schema: { responseFormat: { type: "json-schema", name: "a", schema: {} } },
  reasoning_effort: { reasoning: { effort: "low" } },
  reasoning_budget: { reasoning: { budget: 2000 } },
  reasoning: said({ type: "reasoning", text: "hm" }),
  "reasoning.signature": said({
    type: "reasoning",
    text: "",
    signature: "s",
    signedBy: "openai-chat",
  }),
  system: instructs("system", "user"),
  "system.position": instructs("user", "system"),
  name: { messages: [{ role: "user", name: "ann", parts: [] }] },
  "image.url": says({ type: "image", source: { type: "url", url: "https://host/a.png" } }),
  "image.data": says({ type: "image", source: PNG }),
  "image.detail": says({ type: "image", source: PNG, detail: "low" }),
  audio: says({ type: "audio", source: { type: "base64", data: "AAAA" }, format: "wav" }),
  "output.image": { modalities: ["text", "image"] },
  image_config: { imageShape: { aspectRatio: "16:9" } },
  "output.audio": { modalities: ["text", "audio"], speech: { voice: "alloy", format: "wav" } },
  "assistant.image": said({ type: "image", source: PNG }),
  "file.url": says({ type: "file", source: { type: "url", url: "https://host/a.pdf" } }),
  "file.data": says({ type: "file", source: PDF, name: "a.pdf" }),
  refusal: said({ type: "refusal", text: "No" }),
  cache_control: says({ type: "text", text: "a", cache: {} }),
  prompt_cache_key: { promptCacheKey: "k" },
  verbosity: { verbosity: "low" },
  user: { user: "u" },
  safety_identifier: { safetyIdentifier: "s" },
  metadata: { metadata: { a: "b" } },
  service_tier: { serviceTier: "flex" },
}

/** Features that the gateway replaces by fetching the file. An address that remains is omitted. */
const FETCHED: ReadonlySet<Feature> = new Set(["file.url"])

const CLOSED = {
  messages: {
    system: ["content"],
    user: ["content"],
    assistant: ["content"],
    tool: ["content", "tool_call_id"],
  },
  efforts: { low: "high" },
}

const VARIANTS: readonly (readonly [string, Partial<OpenAiChatQuirks>])[] = [
  ["OpenAI's own", {}],
  ["the quirks that carry the most", KEEPING],
  ["text of reasoning", { reasoningHistory: "text", developerRole: "system" }],
  ["a closed schema", { closedSchema: CLOSED }],
  [
    "the quirks that drop fields",
    { dropFields: ["logprobs", "user", "verbosity"], maxTemperature: 1.5 },
  ],
]

for (const [name, quirks] of VARIANTS) {
  describe(`losses with the quirks of ${name}`, () => {
    const dialect = openAiChat(quirks)
    test.each(Object.keys(FEATURES) as Feature[])(
      "match the declared support for %s",
      (feature) => {
        const support = dialect.supports[feature]
        const { losses } = dialect.encodeRequest({ ...ASKED, ...EXAMPLES[feature] })
        const effect = support !== "carried" && FETCHED.has(feature) ? "dropped" : support
        expect(losses).toEqual(effect === "carried" ? [] : [{ name: feature, effect }])
      },
    )
  })
}

describe("features that OpenAI callers can use", () => {
  test("include all features except the mark for a failed tool result", () => {
    const all = Object.keys(FEATURES) as Feature[]
    expect(all.filter((name) => !OPENAI_CHAT.expresses.has(name))).toEqual(["tool_result.failed"])
  })

  const keeping = openAiChat(KEEPING)
  const carried = (Object.keys(FEATURES) as Feature[]).filter(
    (name) => keeping.supports[name] === "carried",
  )
  test.each(carried)("include %s, which is unchanged after encoding and decoding", (feature) => {
    const asked = { ...ASKED, ...EXAMPLES[feature] }
    const { body } = keeping.encodeRequest(asked)
    expect(OPENAI_CHAT.decodeRequest(body)).toEqual(asked)
  })
})
