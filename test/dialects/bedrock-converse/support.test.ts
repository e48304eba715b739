import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import { type Feature, FEATURES, type Support } from "../../../src/canon/features.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { assistant, call, result, system, text, tool, user } from "./conversation.ts"
import { request } from "./fixtures.ts"
import { Smithy } from "./smithy.ts"
import { GRAMMAR_TOOL } from "../grammar-tool.ts"

const look = { name: "look" }
const closed = { type: "object", properties: {}, additionalProperties: false }
const image = {
  type: "image",
  source: { type: "base64", data: "iVBORw0K", mediaType: "image/png" },
} as const

function asking(response: Parameters<typeof tool>[0]): Partial<ChatRequest> {
  return { messages: [user(text("a")), assistant(call("1")), tool(response)], tools: [look] }
}

/** For each feature, a request that uses it. */
const EXAMPLES: Readonly<Record<Feature, Partial<ChatRequest>>> = {
  max_tokens: { maxTokens: 100 },
  temperature: { temperature: 1.5 },
  top_p: { topP: 0.9 },
  top_k: { topK: 5 },
  stop: { stop: ["END"] },
  seed: { seed: 1 },
  n: { choices: 2 },
  presence_penalty: { presencePenalty: 1 },
  frequency_penalty: { frequencyPenalty: 1 },
  logprobs: { logprobs: true },
  tools: { tools: [look] },
  "tools.strict": { tools: [{ ...look, parameters: closed, strict: true }] },
  "tools.grammar": { tools: [GRAMMAR_TOOL] },
  tool_choice: { tools: [look], toolChoice: { type: "tool", name: "look" } },
  parallel_tool_calls: { tools: [look], parallelToolCalls: false },
  "tool_result.media": asking({ type: "tool-result", id: "1", content: [image] }),
  "tool_result.failed": asking(result("1", "x", { failed: true })),
  json_object: { responseFormat: { type: "json-object" } },
  json_schema: { responseFormat: { type: "json-schema", name: "a", schema: closed } },
  reasoning_effort: { reasoning: { effort: "medium" } },
  reasoning_budget: { reasoning: { budget: 2048 } },
  reasoning: { messages: [user(text("a")), assistant({ type: "reasoning", text: "Hm" })] },
  "reasoning.signature": {
    messages: [
      user(text("a")),
      assistant(
        { type: "reasoning", text: "Hm", signature: "s", signedBy: "bedrock-converse" },
        text("b"),
      ),
    ],
  },
  system: { messages: [system(text("a")), user(text("b"))] },
  "system.position": { messages: [user(text("b")), system(text("a"))] },
  name: { messages: [{ ...user(text("a")), name: "Ann" }] },
  "image.url": {
    messages: [
      user(text("a"), { type: "image", source: { type: "url", url: "https://a.example/b.png" } }),
    ],
  },
  "image.data": { messages: [user(text("a"), image)] },
  "image.detail": { messages: [user(text("a"), { ...image, detail: "low" })] },
  audio: {
    messages: [
      user(text("a"), {
        type: "audio",
        source: { type: "base64", data: "UklG" },
        format: "wav",
      }),
    ],
  },
  "output.image": { modalities: ["text", "image"] },
  image_config: { imageShape: { aspectRatio: "16:9" } },
  "output.audio": { modalities: ["text", "audio"], speech: { voice: "alloy", format: "wav" } },
  "assistant.image": {
    messages: [user(text("a")), assistant(text("b"), image), user(text("c"))],
  },
  "file.url": {
    messages: [
      user(text("a"), { type: "file", source: { type: "url", url: "https://a.example/b.pdf" } }),
    ],
  },
  "file.data": {
    messages: [
      user(text("a"), {
        type: "file",
        source: { type: "base64", data: "JVBE", mediaType: "application/pdf" },
      }),
    ],
  },
  refusal: { messages: [user(text("a")), assistant({ type: "refusal", text: "No" })] },
  cache_control: { messages: [user(text("a", { cache: { ttl: "1h" } }))] },
  prompt_cache_key: { promptCacheKey: "k" },
  verbosity: { verbosity: "low" },
  user: { user: "u" },
  safety_identifier: { safetyIdentifier: "s" },
  metadata: { metadata: { team: "a" } },
  service_tier: { serviceTier: "flex" },
}

/**
 * Features that the relay provides instead of the dialect: several attempts for several choices, and fetching of files.
 */
const BY_THE_RELAY: Readonly<Partial<Record<Feature, Support>>> = {
  n: "carried",
  "image.url": "dropped",
  "file.url": "dropped",
}

describe("declared support for Bedrock features", () => {
  for (const name of Object.keys(FEATURES) as Feature[]) {
    test(`matches the encoder's output: ${name} is ${BEDROCK_CONVERSE.supports[name]}`, () => {
      const { losses } = BEDROCK_CONVERSE.encodeRequest(request(EXAMPLES[name]))
      const effect = losses.find((loss) => loss.name === name)?.effect ?? "carried"
      expect(effect).toBe(BY_THE_RELAY[name] ?? BEDROCK_CONVERSE.supports[name])
      expect(losses.filter((loss) => loss.name !== name)).toEqual([])
    })
  }
})

describe(`Amazon's model of the API${WITHOUT_FIXTURES}`, () => {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    test.skipIf(!HAS_FIXTURES)(`accepts a request with ${name}`, () => {
      const { body } = BEDROCK_CONVERSE.encodeRequest(request(example))
      expect(new Smithy().faultsOf(body)).toEqual([])
    })
  }

  test.skipIf(!HAS_FIXTURES)("reports invalid fields", () => {
    const faults = new Smithy().faultsOf({
      messages: [
        { role: "nobody", content: [{ text: "a", image: {} }, { toolUse: { name: "a b" } }] },
      ],
      inferenceConfig: { temperature: 2 },
      model: "m",
    })
    expect(faults).toContain("ConverseRequest.inferenceConfig.temperature: 2 out of range")
    expect(faults).toContain("ConverseRequest.messages[0].role: nobody is no word")
    expect(faults).toContain("ConverseRequest.messages[0].content[0]: not one member")
    expect(faults).toContain("ConverseRequest.messages[0].content[1].toolUse.input: missing")
    expect(faults).toContain("ConverseRequest.model: unknown")
    expect(faults.some((fault) => fault.includes("does not fit"))).toBe(true)
  })
})
