import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { Tool } from "../../../src/canon/tool.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { eventFrame } from "../../wire/event-stream-frames.ts"
import { decode, frame, framesOf, request } from "./fixtures.ts"
import { Smithy } from "./smithy.ts"

/** Names that need no change. The relay changes other names by the rules of the model. */
const toolNames = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)
const words = fc.string({ unit: "grapheme", maxLength: 12 })
const base64 = fc
  .uint8Array({ minLength: 3, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))
const cache = fc.constantFrom(undefined, {}, { ttl: "5m" }, { ttl: "1h" }, { ttl: "9h" })

/** Omits members that are undefined. */
function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

const source = fc.oneof(
  fc.record({
    type: fc.constant("base64" as const),
    data: base64,
    mediaType: fc.constantFrom(
      "image/png",
      "image/tiff",
      "application/pdf",
      "text/plain",
      "video/mp4",
      "audio/wav",
      "application/zip",
    ),
  }),
  fc.constant({ type: "url" as const, url: "https://a.example/b" }),
  fc.constantFrom("s3://bucket/a.png", "s3://bucket/b.pdf", "file-1").map((id) => ({
    type: "reference" as const,
    id,
  })),
)

const textPart = fc
  .record({ type: fc.constant("text"), text: words, cache })
  .map((part) => present(part) as Part)
const mediaPart = fc
  .record({
    type: fc.constantFrom("image", "audio", "file"),
    source,
    name: fc.option(words, { nil: undefined }),
  })
  .map((part) => present(part) as Part)
const reasoningPart = fc
  .record({
    type: fc.constant("reasoning"),
    text: words,
    signature: fc.option(base64, { nil: undefined }),
    signedBy: fc.constantFrom("bedrock-converse", "anthropic-messages"),
    isRedacted: fc.constantFrom(undefined, true),
  })
  .map((part) => present(part) as Part)
const callPart = fc
  .record({
    type: fc.constant("tool-call"),
    id: words,
    name: toolNames,
    arguments: fc.oneof(fc.constant(""), words, fc.constant('{"a":[1,{"b":null}]}')),
    cache,
  })
  .map((part) => present(part) as Part)
const resultPart = fc
  .record({
    type: fc.constant("tool-result"),
    id: words,
    content: fc.array(fc.oneof(textPart, mediaPart), { maxLength: 3 }),
    failed: fc.constantFrom(undefined, true),
    cache,
  })
  .map((part) => present(part) as Part)

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    role: fc.constantFrom("system" as const, "developer" as const),
    parts: fc.array(textPart, { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant("user" as const),
    parts: fc.array(fc.oneof(textPart, mediaPart), { maxLength: 4 }),
  }),
  fc.record({
    role: fc.constant("assistant" as const),
    parts: fc.array(fc.oneof(textPart, reasoningPart, callPart, mediaPart), { maxLength: 4 }),
  }),
  fc.record({
    role: fc.constant("tool" as const),
    parts: fc.array(resultPart, { minLength: 1, maxLength: 3 }),
  }),
)

const tool = fc
  .record({
    name: toolNames,
    description: fc.option(words, { nil: undefined }),
    parameters: fc.constantFrom(undefined, { properties: {} }, { type: "object" }),
    strict: fc.constantFrom(undefined, true, false),
    cache,
  })
  .map((tool) => present(tool) as Tool)

const anyRequest: fc.Arbitrary<ChatRequest> = fc
  .record({
    model: fc.constantFrom(
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "us.anthropic.claude-sonnet-4-20250514-v1:0",
      "global.anthropic.claude-opus-4-7",
      "us.amazon.nova-2-lite-v1:0",
      "openai.gpt-oss-20b-1:0",
      "us.openai.gpt-5.5",
      "mistral.mistral-large-2402-v1:0",
      "somebody.else",
    ),
    messages: fc.array(message, { maxLength: 6 }),
    stream: fc.boolean(),
    streamUsage: fc.boolean(),
    choices: fc.constant(1),
    maxTokens: fc.option(fc.integer({ min: 1, max: 5000 }), { nil: undefined }),
    temperature: fc.constantFrom(undefined, 0, 0.5, 2),
    topP: fc.constantFrom(undefined, 0.5),
    topK: fc.constantFrom(undefined, 5),
    stop: fc.constantFrom(undefined, ["a", "b"]),
    tools: fc.option(fc.array(tool, { maxLength: 3 }), { nil: undefined }),
    toolChoice: fc.constantFrom(
      undefined,
      { type: "auto" as const },
      { type: "none" as const },
      { type: "required" as const },
      { type: "tool" as const, name: "look" },
    ),
    parallelToolCalls: fc.constantFrom(undefined, true, false),
    responseFormat: fc.constantFrom(
      undefined,
      { type: "json-object" as const },
      { type: "json-schema" as const, name: "a", schema: { type: "object" } },
      {
        type: "json-schema" as const,
        name: "a",
        schema: { type: "object", additionalProperties: false },
      },
    ),
    reasoning: fc.constantFrom(
      undefined,
      { effort: "none" },
      { effort: "high" },
      { budget: 2000 },
      { isAdaptive: true },
    ),
    metadata: fc.option(fc.dictionary(words, words, { maxKeys: 3, noNullPrototype: true }), {
      nil: undefined,
    }),
    serviceTier: fc.constantFrom(undefined, "auto", "flex", "scale"),
  })
  .map((request) => present(request) as ChatRequest)

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly JsonObject[] }[]
  readonly system?: readonly JsonObject[]
  readonly toolConfig?: { readonly tools: readonly JsonObject[] }
}

describe(`generated Bedrock requests${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)("do not violate Amazon's model of the API", () => {
    const smithy = new Smithy()
    fc.assert(
      fc.property(anyRequest, (asked) => {
        const { body } = BEDROCK_CONVERSE.encodeRequest(asked)
        expect(smithy.faultsOf(body)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test("follow Bedrock's rules that are not part of the API model", () => {
    fc.assert(
      fc.property(anyRequest, (asked) => {
        const body = BEDROCK_CONVERSE.encodeRequest(asked).body as unknown as Body
        body.messages.forEach(({ role, content }, index) => {
          expect(role).toBe(index % 2 === 0 ? "user" : "assistant")
          expect(content.length).toBeGreaterThan(0)
          expectBlocks(content)
          if (content.some(({ document }) => document)) {
            expect(content.some(({ text }) => text)).toBe(true)
          }
          const results = content.findLastIndex(({ toolResult }) => toolResult)
          const others = content.findIndex(
            ({ toolResult, cachePoint }) => !toolResult && !cachePoint,
          )
          if (others >= 0) expect(results).toBeLessThan(others)
          expect(content.at(-1)).not.toHaveProperty("reasoningContent")
        })
        expectBlocks(body.system ?? [])
        const hasCalls = body.messages.some(({ content }) => content.some(({ toolUse }) => toolUse))
        if (hasCalls) expect(body.toolConfig?.tools.length).toBeGreaterThan(0)
        if (body.toolConfig) expectBlocks(body.toolConfig.tools)
      }),
      { numRuns: 500 },
    )
  })
})

/** Asserts that there is no blank text, and no cache point at the start or after another cache point. */
function expectBlocks(blocks: readonly JsonObject[]): void {
  blocks.forEach((block, index) => {
    if (typeof block.text === "string") expect(block.text.trim()).not.toBe("")
    if (block.cachePoint === undefined) return
    expect(index).toBeGreaterThan(0)
    expect(blocks[index - 1]).not.toHaveProperty("cachePoint")
  })
}

/** A block of a response, both complete and in the pieces of a stream. */
interface Answered {
  readonly block: JsonObject
  readonly start?: JsonObject
  readonly deltas: readonly JsonObject[]
}

const said = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
const chunks = fc.array(said, { minLength: 1, maxLength: 4 })

const answeredText: fc.Arbitrary<Answered> = chunks.map((texts) => ({
  block: { text: texts.join("") },
  deltas: texts.map((text) => ({ text })),
}))
const answeredCall: fc.Arbitrary<Answered> = fc
  .tuple(
    base64,
    fc.nat({ max: 40 }),
    fc.dictionary(said, said, { maxKeys: 2, noNullPrototype: true }),
  )
  .map(([toolUseId, cut, input]) => {
    const json = JSON.stringify(input)
    const inputs = json === "{}" ? [""] : [json.slice(0, cut), json.slice(cut)]
    return {
      block: { toolUse: { toolUseId, name: "look", input } },
      start: { toolUse: { toolUseId, name: "look" } },
      deltas: inputs.map((chunk) => ({ toolUse: { input: chunk } })),
    }
  })
const answeredReasoning: fc.Arbitrary<Answered> = fc
  .tuple(chunks, fc.option(base64, { nil: undefined }))
  .map(([texts, signature]) => ({
    block: {
      reasoningContent: { reasoningText: present({ text: texts.join(""), signature }) },
    },
    deltas: [
      ...texts.map((text) => ({ reasoningContent: { text } })),
      ...(signature === undefined ? [] : [{ reasoningContent: { signature } }]),
    ],
  }))
const answeredRedacted: fc.Arbitrary<Answered> = base64.map((redactedContent) => ({
  block: { reasoningContent: { redactedContent } },
  deltas: [{ reasoningContent: { redactedContent } }],
}))
const answeredCited: fc.Arbitrary<Answered> = fc.tuple(chunks, said).map(([texts, title]) => ({
  block: {
    citationsContent: { content: texts.map((text) => ({ text })), citations: [{ title }] },
  },
  deltas: [{ citation: { title } }, ...texts.map((text) => ({ text }))],
}))
const answered = fc.array(
  fc.oneof(answeredText, answeredCall, answeredReasoning, answeredRedacted, answeredCited),
  { maxLength: 6 },
)

function bodyOfResponse(blocks: readonly Answered[], stopReason: string): JsonObject {
  return {
    output: { message: { role: "assistant", content: blocks.map(({ block }) => block) } },
    stopReason,
    usage: { inputTokens: 7, outputTokens: 9, totalTokens: 16 },
  }
}

function framesOfResponse(blocks: readonly Answered[], stopReason: string): SseFrame[] {
  return [
    frame("messageStart", { role: "assistant" }),
    ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === undefined ? [] : [frame("contentBlockStart", { contentBlockIndex, start })]),
      ...deltas.map((delta) => frame("contentBlockDelta", { contentBlockIndex, delta })),
      frame("contentBlockStop", { contentBlockIndex }),
    ]),
    frame("messageStop", { stopReason }),
    frame("metadata", { usage: { inputTokens: 7, outputTokens: 9, totalTokens: 16 } }),
  ]
}

const stopReason = fc.constantFrom("end_turn", "tool_use", "max_tokens", "stop_sequence")

describe("generated Bedrock responses", () => {
  test("have the same result with and without streaming", () => {
    fc.assert(
      fc.property(answered, stopReason, (blocks, reason) => {
        const whole = BEDROCK_CONVERSE.decodeResult(bodyOfResponse(blocks, reason))
        expect(foldEvents(decode(framesOfResponse(blocks, reason)))).toEqual(whole)
      }),
      { numRuns: 300 },
    )
  })

  test("decode to the same result for any split of their bytes", () => {
    fc.assert(
      fc.property(
        answered,
        stopReason,
        fc.integer({ min: 1, max: 99 }),
        (blocks, reason, length) => {
          const frames = framesOfResponse(blocks, reason)
          const bytes = Buffer.concat(frames.map(({ event = "", data }) => eventFrame(event, data)))
          expect(decode(framesOf(bytes, length))).toEqual(decode(frames))
        },
      ),
    )
  })

  test("can be sent back, and only reasoning, citations and turns may be lost", () => {
    fc.assert(
      fc.property(answered, (blocks) => {
        const { choices } = BEDROCK_CONVERSE.decodeResult(bodyOfResponse(blocks, "end_turn"))
        const messages: Message[] = [
          { role: "user", parts: [{ type: "text", text: "a" }] },
          { role: "assistant", parts: choices[0]!.parts },
          { role: "user", parts: [{ type: "text", text: "b" }] },
        ]
        const { losses } = BEDROCK_CONVERSE.encodeRequest(
          request({ messages, tools: [{ name: "look" }] }),
        )
        const known = ["reasoning", "reasoning.signature", "citations", "messages"]
        expect(losses.filter(({ name }) => !known.includes(name))).toEqual([])
      }),
    )
  })
})
