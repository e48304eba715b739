import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { ChatEvent, ChatRequest, ChatResult } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { openAiResponses, OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import {
  decodeStream,
  encodeStream,
  eventsOf,
  framesOf,
  lastResponse,
  readByClient,
  REQUEST,
  wireOf,
} from "./support.ts"
import { sampleRuns } from "../../support/exhaustive.ts"

const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" })
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/)
const json = fc
  .dictionary(name, fc.oneof(fc.integer(), words))
  .map((value) => JSON.stringify(value))

const text = words.map((written) => ({ type: "text", text: written }) as const)
const image = fc.oneof(
  fc.record({
    type: fc.constant("image" as const),
    source: fc.record({ type: fc.constant("url" as const), url: fc.webUrl() }),
    detail: fc.constantFrom("auto", "low", "high"),
  }),
  fc.record({
    type: fc.constant("image" as const),
    source: fc.constant({ type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const),
    detail: fc.constant("auto"),
  }),
)
const file = fc.record({
  type: fc.constant("file" as const),
  source: fc.constant({ type: "base64", mediaType: "application/pdf", data: "JVBERi0=" } as const),
  name: name,
})
const reasoning = fc.record({
  type: fc.constant("reasoning" as const),
  text: fc.oneof(fc.constant(""), words),
  signature: words,
  signedBy: fc.constant("openai-responses" as const),
  id: name,
})
const refusal = words.map((said) => ({ type: "refusal", text: said }) as const)

/** A turn that begins with reasoning, text and calls of the assistant, followed by the outputs of the calls. */
const turn: fc.Arbitrary<Message[]> = fc
  .record({
    thought: fc.option(reasoning, { nil: undefined }),
    said: fc.array(fc.oneof(text, refusal), { minLength: 1, maxLength: 2 }),
    calls: fc.array(
      fc.record({
        name,
        arguments: json,
        content: fc.array(fc.oneof(text, image, file), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
    prefix: fc.uuid(),
  })
  .map(({ thought, said, calls, prefix }) => {
    const made: Part[] = calls.map((call, index) => ({
      type: "tool-call",
      id: `${prefix}-${index}`,
      name: call.name,
      arguments: call.arguments,
    }))
    const parts: Part[] = [...(thought === undefined ? [] : [thought]), ...said, ...made]
    const outputs: Message[] = calls.map(({ content }, index) => ({
      role: "tool",
      parts: [{ type: "tool-result", id: `${prefix}-${index}`, content }],
    }))
    return [{ role: "assistant", parts }, ...outputs]
  })

const userMessage: fc.Arbitrary<Message> = fc
  .array(fc.oneof(text, image, file), { minLength: 1, maxLength: 3 })
  .map((parts) => ({ role: "user", parts }))

const laterInstructions: fc.Arbitrary<Message> = text.map((part) => ({
  role: "developer",
  parts: [part],
}))

const conversation: fc.Arbitrary<Message[]> = fc
  .record({
    system: fc.option(text, { nil: undefined }),
    exchanges: fc.array(
      fc.tuple(userMessage, turn, fc.option(laterInstructions, { nil: undefined })),
      { maxLength: 3 },
    ),
    last: userMessage,
  })
  .map(({ system, exchanges, last }) => [
    ...(system === undefined ? [] : [{ role: "system", parts: [system] } as const]),
    ...exchanges.flatMap(([asked, answered, instructions]) => [
      asked,
      ...answered,
      ...(instructions === undefined ? [] : [instructions]),
    ]),
    last,
  ])

const parameters: fc.Arbitrary<Partial<ChatRequest>> = fc.record(
  {
    stream: fc.boolean(),
    maxTokens: fc.integer({ min: 16, max: 4096 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    presencePenalty: fc.double({ min: -2, max: 2, noNaN: true }),
    tools: fc.array(
      fc.record({ name, parameters: fc.constant({ type: "object" }), strict: fc.boolean() }),
      { maxLength: 2 },
    ),
    toolChoice: fc.constantFrom<NonNullable<ChatRequest["toolChoice"]>>(
      { type: "auto" },
      { type: "required" },
      { type: "tool", name: "a" },
    ),
    parallelToolCalls: fc.boolean(),
    responseFormat: fc.constantFrom<NonNullable<ChatRequest["responseFormat"]>>(
      { type: "text" },
      { type: "json-schema", name: "a", schema: { type: "object" }, strict: true },
    ),
    reasoning: fc.constantFrom({ effort: "low" }, { effort: "high", summary: "auto" }),
    verbosity: fc.constantFrom("low", "high"),
    user: name,
    safetyIdentifier: name,
    promptCacheKey: name,
    serviceTier: fc.constantFrom("auto", "flex"),
    metadata: fc.dictionary(name, words, { maxKeys: 2 }),
    previousResponse: name,
  },
  { requiredKeys: [] },
)

test("a Responses request is unchanged after encoding and decoding", () => {
  const dialect = openAiResponses({ penalties: true })
  fc.assert(
    fc.property(conversation, parameters, (messages, more) => {
      const request: ChatRequest = { ...REQUEST, stream: false, ...more, messages }
      const { body, losses } = dialect.encodeRequest(request)
      expect(losses).toEqual([])
      expect(dialect.decodeRequest(body)).toEqual(request)
    }),
  )
})

const responseParts: fc.Arbitrary<Part[]> = fc
  .record({
    thoughts: fc.array(reasoning, { maxLength: 2 }),
    said: fc.array(fc.oneof(text, refusal), { maxLength: 2 }),
    calls: fc.array(fc.record({ name, arguments: json }), { maxLength: 3 }),
  })
  .map(({ thoughts, said, calls }) => [
    ...thoughts.map((thought, index) => ({ ...thought, id: `rs_${index}` })),
    ...said,
    ...calls.map((call, index) => ({ type: "tool-call", id: `call_${index}`, ...call }) as const),
  ])

const usage = fc
  .record({
    inputFresh: fc.nat(1000),
    inputCacheRead: fc.nat(1000),
    inputCacheWrite: fc.nat(1000),
    output: fc.integer({ min: 100, max: 1000 }),
    reasoning: fc.nat(100),
  })
  .map((quantities) => ({ ...NO_USAGE, ...quantities }))

const result: fc.Arbitrary<ChatResult> = fc
  .record({
    parts: responseParts,
    ending: fc.constantFrom("whole", "length", "content-filter"),
    usage,
  })
  .map(({ parts, ending, usage: used }) => {
    const hasCalls = parts.some(({ type }) => type === "tool-call")
    const whole = hasCalls ? "tool-calls" : "stop"
    const finish = ending === "whole" ? whole : (ending as "length" | "content-filter")
    return {
      id: "resp_1",
      model: "vendor/model",
      created: 5,
      choices: [{ index: 0, parts, finish }],
      usage: used,
    }
  })

/** Returns a result without the fields that this dialect always adds. */
function plain(value: ChatResult): ChatResult {
  const { extra: _, ...rest } = value
  return rest
}

/** Returns a result as a stream gives it. Consecutive texts are joined, and the ids of reasoning are new. */
function asStreamed(value: ChatResult): ChatResult {
  return {
    ...plain(value),
    choices: value.choices.map((choice) => ({ ...choice, parts: joined(choice.parts) })),
  }
}

function joined(parts: readonly Part[]): Part[] {
  const together: Part[] = []
  for (const part of parts) {
    const last = together.at(-1)
    if (last?.type === part.type && (part.type === "text" || part.type === "refusal")) {
      together[together.length - 1] = {
        type: part.type,
        text: (last as typeof part).text + part.text,
      }
    } else if (part.type === "reasoning") {
      const { id: _, ...rest } = part
      together.push(rest)
    } else together.push(part)
  }
  return together
}

/** Any event that a vendor may send, including events of calls that never began. */
const event: fc.Arbitrary<ChatEvent> = fc.oneof(
  words.map((said) => ({ type: "text-delta", choice: 0, text: said }) as const),
  words.map((said) => ({ type: "reasoning-delta", choice: 0, text: said }) as const),
  words.map((said) => ({ type: "refusal-delta", choice: 0, text: said }) as const),
  words.map(
    (signature) =>
      ({ type: "reasoning-signature", choice: 0, signature, signedBy: "gemini" }) as const,
  ),
  fc
    .nat(3)
    .map(
      (call) => ({ type: "tool-call-start", choice: 0, call, id: `c${call}`, name: "a" }) as const,
    ),
  fc.nat(3).map((call) => ({ type: "tool-call-delta", choice: 0, call, arguments: "{" }) as const),
  fc.constant({ type: "citation", choice: 0, citation: { url: "https://a.b" } } as const),
)

describe("a Responses response", () => {
  test("remains unchanged after encoding and decoding", () => {
    fc.assert(
      fc.property(result, (value) => {
        const body = OPENAI_RESPONSES.encodeResult(value, REQUEST)
        expect(plain(OPENAI_RESPONSES.decodeResult(body))).toEqual(value)
      }),
    )
  })

  test("remains unchanged after streaming, for any split of the bytes", () => {
    fc.assert(
      fc.property(result, fc.integer({ min: 1, max: 300 }), (value, length) => {
        const frames = encodeStream(eventsOf(value))
        const told = decodeStream(framesOf(wireOf(frames), length))
        expect(asStreamed(foldEvents(told))).toEqual(asStreamed(value))
      }),
    )
  })

  test("equals the response in the last event of its stream", () => {
    fc.assert(
      fc.property(result, (value) => {
        const frames = encodeStream(eventsOf(value))
        const folded = foldEvents(decodeStream(frames))
        const whole = OPENAI_RESPONSES.decodeResult(lastResponse(frames))
        expect(asStreamed(folded)).toEqual(asStreamed(whole))
      }),
    )
  })

  test("has consecutive sequence numbers in its stream for any order of events", () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const frames = encodeStream(events)
        for (const [index, { event: type, data }] of frames.entries()) {
          expect(JSON.parse(data)).toMatchObject({ type, sequence_number: index })
        }
        expect(frames.at(-1)?.event).toBe("response.completed")
      }),
    )
  })

  test("can be read from its stream by the official client for any order of events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event), async (events) => {
        const frames = encodeStream(events)
        const { output } = await readByClient(frames)
        expect(output.map(({ id }) => id)).toEqual(itemsOf(frames).map(({ id }) => id as string))
      }),
      { numRuns: sampleRuns(60) },
    )
  })
})

function itemsOf(frames: readonly SseFrame[]): JsonObject[] {
  const { output } = lastResponse(frames)
  return Array.isArray(output) ? output.filter(isJsonObject) : []
}
