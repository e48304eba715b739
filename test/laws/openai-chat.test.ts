import { describe, expect, test } from "bun:test"
import { createParser } from "eventsource-parser"
import * as fc from "fast-check"
import type {
  ChatEvent,
  ChatRequest,
  ChatResult,
  Choice,
  Extra,
  FinishReason,
  Message,
  Part,
  ReasoningPart,
  Tool,
  ToolCallPart,
} from "../../src/canon/chat.ts"
import type { SseFrame } from "../../src/canon/dialect.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { NO_USAGE, type Usage } from "../../src/canon/usage.ts"
import { openAiChat } from "../../src/dialects/openai-chat/index.ts"
import { formatEvent } from "../../src/wire/sse.ts"

/** With the quirks that carry the most, so that the law is about the most. */
const dialect = openAiChat({ reasoningHistory: "details", topK: true })

const text = fc.string({ minLength: 1, unit: "grapheme" })
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/)
/** Members that no dialect knows. */
const unknownName = word.map((name) => `x_${name}`)
const value = fc
  .jsonValue({ maxDepth: 2 })
  .filter((json) => json !== null && json !== "" && !isEmpty(json)) as fc.Arbitrary<JsonValue>
const fields = fc.dictionary(unknownName, value, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
const extra: fc.Arbitrary<Extra> = fields.map((fields) => ({ dialect: "openai-chat", fields }))
const schema = fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true })

function isEmpty(json: unknown): boolean {
  return typeof json === "object" && json !== null && Object.keys(json).length === 0
}

/** Members that may be absent are absent, not undefined. */
function record<T>(required: fc.Arbitrary<T>, optional: Record<string, fc.Arbitrary<unknown>>) {
  return fc
    .tuple(required, fc.record(optional, { requiredKeys: [], noNullPrototype: true }))
    .map(([left, right]) => ({ ...left, ...right }) as T)
}

const base64 = fc
  .uint8Array({ minLength: 3, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))
const webUrl = word.map((name) => `https://host/${name}.png`)

const textPart: fc.Arbitrary<Part> = record(
  text.map((text) => ({ type: "text", text })),
  { extra },
)
const imagePart: fc.Arbitrary<Part> = record<Part>(
  fc
    .oneof(
      webUrl.map((url) => ({ type: "url" as const, url })),
      base64.map((data) => ({ type: "base64" as const, data, mediaType: "image/png" })),
    )
    .map((source) => ({ type: "image", source })),
  { detail: fc.constantFrom("low", "high"), extra },
)
const audioPart: fc.Arbitrary<Part> = record<Part>(
  base64.map((data) => ({ type: "audio", source: { type: "base64", data }, format: "wav" })),
  { extra },
)
const filePart: fc.Arbitrary<Part> = record<Part>(
  fc
    .oneof(
      word.map((id) => ({ type: "reference" as const, id })),
      base64.map((data) => ({ type: "base64" as const, data, mediaType: "application/pdf" })),
    )
    .map((source) => ({ type: "file", source })),
  { name: word, extra },
)
const vendorPart: fc.Arbitrary<Part> = webUrl.map((url) => ({
  type: "unknown",
  extra: { dialect: "openai-chat", fields: { type: "document_url", document_url: url } },
}))
const content = fc.array(fc.oneof(textPart, imagePart, audioPart, filePart, vendorPart), {
  minLength: 1,
  maxLength: 4,
})

const reasoningPart: fc.Arbitrary<ReasoningPart> = record<ReasoningPart>(
  text.map((text) => ({ type: "reasoning", text })),
  { signature: word },
)
const refusalPart: fc.Arbitrary<Part> = text.map((text) => ({ type: "refusal", text }))
const toolCall: fc.Arbitrary<ToolCallPart> = record<ToolCallPart>(
  fc.tuple(word, word, schema).map(([id, name, input]) => ({
    type: "tool-call",
    id,
    name,
    arguments: JSON.stringify(input),
  })),
  { extra },
)
const otherCall: fc.Arbitrary<Part> = word.map((id) => ({
  type: "unknown",
  extra: {
    dialect: "openai-chat",
    fields: { type: "custom", id, custom: { name: "c", input: "x" } },
  },
}))

const plainMessage = record<Message>(
  fc
    .tuple(fc.constantFrom("system" as const, "developer" as const, "user" as const), content)
    .map(([role, parts]) => ({ role, parts })),
  { name: word, extra },
)
const assistantMessage = record<Message>(
  fc
    .tuple(
      fc.array(reasoningPart, { maxLength: 2 }),
      fc.array(textPart, { maxLength: 2 }),
      fc.array(refusalPart, { maxLength: 1 }),
      fc.array(fc.oneof(toolCall, otherCall), { maxLength: 2 }),
    )
    .map((parts) => ({ role: "assistant", parts: parts.flat() })),
  { name: word, extra },
)
const toolMessage = record<Message>(
  fc.tuple(word, fc.array(textPart, { maxLength: 2 })).map(([id, content]) => ({
    role: "tool",
    parts: [{ type: "tool-result", id, content: content as never }],
  })),
  { extra },
)

const tool: fc.Arbitrary<Tool> = record<Tool>(
  word.map((name) => ({ name })),
  { description: text, parameters: schema, strict: fc.boolean(), extra },
)

const request: fc.Arbitrary<ChatRequest> = record<ChatRequest>(
  fc
    .tuple(
      word,
      fc.array(fc.oneof(plainMessage, assistantMessage, toolMessage), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.boolean(),
      fc.integer({ min: 1, max: 128 }),
    )
    .map(([model, messages, stream, choices]) => ({
      model,
      messages,
      stream,
      // Usage is always asked for upstream.
      streamUsage: stream,
      choices,
    })),
  {
    maxTokens: fc.integer({ min: 1 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    topK: fc.integer({ min: 1 }),
    stop: fc.array(text, { minLength: 1, maxLength: 4 }),
    seed: fc.integer(),
    presencePenalty: fc.integer({ min: -2, max: 2 }),
    frequencyPenalty: fc.integer({ min: -2, max: 2 }),
    logprobs: fc.boolean(),
    topLogprobs: fc.integer({ min: 0, max: 20 }),
    toolChoice: fc.oneof(
      fc.constantFrom("auto", "none", "required").map((type) => ({ type })),
      word.map((name) => ({ type: "tool", name })),
    ),
    responseFormat: fc.oneof(
      fc.constantFrom("text", "json-object").map((type) => ({ type })),
      record(
        word.map((name) => ({ type: "json-schema", name })),
        { schema, description: text, strict: fc.boolean() },
      ),
    ),
    reasoningEffort: word,
    user: text,
    extra,
  },
).chain((request) =>
  fc.oneof(
    fc.constant(request),
    fc
      .tuple(fc.array(tool, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([tools, parallelToolCalls]) => ({ ...request, tools, parallelToolCalls })),
  ),
)

const usage: fc.Arbitrary<Usage> = fc
  .record({
    inputFresh: fc.nat(),
    inputCacheRead: fc.nat(),
    inputCacheWrite: fc.nat(),
    audioInput: fc.nat(),
    output: fc.nat(),
    audioOutput: fc.nat(),
    searches: fc.nat(9),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...usage }) => ({
    ...NO_USAGE,
    ...usage,
    reasoning: Math.floor(usage.output * share),
  }))

function finishOf(parts: readonly Part[], finish: FinishReason): FinishReason {
  const hasCalls = parts.some(({ type }) => type === "tool-call")
  return hasCalls && finish === "stop" ? "tool-calls" : finish
}

const finish = fc.constantFrom<FinishReason>("stop", "length", "tool-calls", "content-filter")

const choiceExtra: fc.Arbitrary<Extra> = fc
  .tuple(fields, fields, fc.boolean(), fc.boolean())
  .map(([own, ofMessage, hasOwn, hasMessage]) => ({
    dialect: "openai-chat",
    fields: {
      ...(hasOwn || !hasMessage ? own : {}),
      ...(hasMessage ? { message: ofMessage } : {}),
    },
  }))

const choice: fc.Arbitrary<Choice> = record<Choice>(
  fc
    .tuple(
      fc.array(reasoningPart, { maxLength: 2 }),
      fc.array(
        text.map((text): Part => ({ type: "text", text })),
        { maxLength: 1 },
      ),
      fc.array(refusalPart, { maxLength: 1 }),
      fc.array(toolCall, { maxLength: 2 }),
      finish,
    )
    .map(([reasoning, said, refusal, calls, finish]) => {
      const parts = [...reasoning, ...said, ...refusal, ...calls]
      return { index: 0, parts, finish: finishOf(parts, finish) }
    }),
  { extra: choiceExtra },
)

const result: fc.Arbitrary<ChatResult> = record<ChatResult>(
  fc
    .tuple(word, word, fc.nat(), fc.array(choice, { minLength: 1, maxLength: 3 }), usage)
    .map(([id, model, created, choices, usage]) => ({
      id: `chatcmpl-${id}`,
      model,
      created,
      choices: choices.map((choice, index) => ({ ...choice, index })),
      usage,
    })),
  { extra },
)

/** What one choice streams, in order. */
function streamOf(choice: number): fc.Arbitrary<ChatEvent[]> {
  const said: fc.Arbitrary<ChatEvent> = fc.oneof(
    text.map((text): ChatEvent => ({ type: "text-delta", choice, text })),
    text.map((text): ChatEvent => ({ type: "reasoning-delta", choice, text })),
    text.map((text): ChatEvent => ({ type: "refusal-delta", choice, text })),
    word.map((signature): ChatEvent => ({ type: "reasoning-signature", choice, signature })),
    choiceExtra.map((extra): ChatEvent => ({ type: "choice-extra", choice, extra })),
  )
  const called = fc.array(fc.tuple(word, fc.array(text, { minLength: 1, maxLength: 3 })), {
    maxLength: 2,
  })
  return fc
    .tuple(fc.array(said, { maxLength: 6 }), called, finish)
    .map(([said, called, finish]) => {
      const calls = called.flatMap(([name, pieces], call): ChatEvent[] => [
        { type: "tool-call-start", choice, call, id: `call_${call}`, name },
        ...pieces.map((piece): ChatEvent => ({
          type: "tool-call-delta",
          choice,
          call,
          arguments: piece,
        })),
      ])
      const reason = called.length > 0 && finish === "stop" ? "tool-calls" : finish
      return [...said, ...calls, { type: "finish", choice, reason }]
    })
}

const events: fc.Arbitrary<ChatEvent[]> = fc
  .tuple(
    record<ChatEvent>(
      fc.tuple(word, word, fc.nat()).map(([id, model, created]) => ({
        type: "start",
        id: `chatcmpl-${id}`,
        model,
        created,
      })),
      { extra },
    ),
    streamOf(0),
    streamOf(1),
    fc.infiniteStream(fc.boolean()),
    usage,
  )
  .map(([start, left, right, coin, usage]) => [
    start,
    ...interleave(left, right, coin),
    { type: "usage", usage },
  ])

function interleave(left: ChatEvent[], right: ChatEvent[], coin: Iterator<boolean>): ChatEvent[] {
  const mixed: ChatEvent[] = []
  let [fromLeft, fromRight] = [0, 0]
  while (fromLeft < left.length || fromRight < right.length) {
    const isLeft = fromRight >= right.length || (fromLeft < left.length && coin.next().value)
    mixed.push(isLeft ? left[fromLeft++]! : right[fromRight++]!)
  }
  return mixed
}

const STREAMING: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 2,
}

function encode(events: readonly ChatEvent[]): SseFrame[] {
  const encoder = dialect.encodeEvents(STREAMING)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

function decode(frames: readonly SseFrame[]): ChatEvent[] {
  const decoder = dialect.decodeEvents()
  return [...frames.flatMap((frame) => decoder.push({ data: frame.data })), ...decoder.end()]
}

/** A message without anything in it says the empty text. */
function onWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

describe("decode(encode(x)) = x", () => {
  test("for requests", () => {
    fc.assert(
      fc.property(request, (request) => {
        const { body, losses } = dialect.encodeRequest(request)
        expect(losses).toEqual([])
        expect(dialect.decodeRequest(onWire(body))).toEqual(onWire(request))
      }),
    )
  })

  test("for whole answers", () => {
    fc.assert(
      fc.property(result, (result) => {
        expect(dialect.decodeResult(onWire(dialect.encodeResult(result)))).toEqual(onWire(result))
      }),
    )
  })

  test("for streams", () => {
    fc.assert(
      fc.property(events, (events) => {
        expect(decode(encode(events))).toEqual(onWire(events))
      }),
    )
  })
})

describe("a stream", () => {
  test("says the same however its bytes are cut", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 30 })
    fc.assert(
      fc.property(events, cuts, (events, cuts) => {
        const bytes = new TextEncoder().encode(encode(events).map(formatEvent).join(""))
        const received: SseFrame[] = []
        const parser = createParser({ onEvent: ({ data }) => received.push({ data }) })
        const decoder = new TextDecoder()
        let start = 0
        for (const length of [...cuts, bytes.length]) {
          parser.feed(decoder.decode(bytes.subarray(start, start + length), { stream: true }))
          start += length
        }
        expect(decode(received)).toEqual(onWire(events))
      }),
    )
  })

  test("folds to the answer that says the same", () => {
    fc.assert(
      fc.property(events, (events) => {
        const folded = foldEvents(events)
        expect(folded.choices.length).toBe(2)
        const again = dialect.decodeResult(onWire(dialect.encodeResult(folded)))
        expect(textOf(again)).toEqual(textOf(folded))
        expect(again.usage).toEqual(folded.usage)
        expect(again.choices.map(({ finish }) => finish)).toEqual(
          folded.choices.map(({ finish }) => finish),
        )
      }),
    )
  })
})

function textOf({ choices }: ChatResult): unknown {
  return choices.map(({ parts }) => {
    const written = { text: "", refusal: "", reasoning: "", calls: "" }
    for (const part of parts) {
      if (part.type === "tool-call") written.calls += `${part.id} ${part.name} ${part.arguments} `
      else if (part.type in written) written[part.type as "text"] += (part as { text: string }).text
    }
    return written
  })
}

/** Near misses: the right names with anything behind them. */
const near = (names: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.dictionary(
    fc.oneof(fc.constantFrom(...names), word),
    fc.jsonValue() as fc.Arbitrary<JsonValue>,
  )

function onlyGatewayErrors(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError)
  }
}

describe("whatever comes", () => {
  const anyBody = fc.oneof(
    near(["model", "messages", "tools", "stop", "response_format", "metadata", "stream_options"]),
    near(["role", "content", "tool_calls", "reasoning_details"]).map((message) => ({
      model: "m",
      messages: [{ role: "assistant", ...message }],
    })),
    near(["type", "text", "image_url", "file", "input_audio"]).map((part) => ({
      model: "m",
      messages: [{ role: "user", content: [part] }],
    })),
  )
  const anyAnswer = fc.oneof(
    near(["id", "choices", "usage", "x_groq", "error", "created"]),
    near(["index", "message", "delta", "finish_reason"]).map((choice) => ({ choices: [choice] })),
    near(["content", "tool_calls", "reasoning", "reasoning_details", "function_call"]).map(
      (delta) => ({ choices: [{ delta, message: delta }] }),
    ),
  ) as fc.Arbitrary<JsonObject>

  test("a request is read or refused", () => {
    fc.assert(
      fc.property(anyBody as fc.Arbitrary<JsonObject>, (body) => {
        onlyGatewayErrors(() => dialect.encodeRequest(dialect.decodeRequest(body)))
        dialect.patches.request(body, { model: "up", maxTokens: 5 })
      }),
    )
  })

  test("an answer is read or refused", () => {
    fc.assert(
      fc.property(anyAnswer, fc.boolean(), (answer, streamUsage) => {
        onlyGatewayErrors(() => dialect.encodeResult(dialect.decodeResult(answer)))
        const data = JSON.stringify(answer)
        onlyGatewayErrors(() => encode(decode([{ data }, { data }, { data: "[DONE]" }])))
        const patch = { model: "m", streamUsage }
        const patched = dialect.patches.frame({ data, json: answer }, patch)
        if (patched.usageCarrier) dialect.patches.setCost(patched.usageCarrier, "1")
        dialect.decodeError(400, answer)
        dialect.patches.result(answer, patch)
      }),
    )
  })
})
