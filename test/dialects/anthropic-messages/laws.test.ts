import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { ChatEvent, ChatRequest, ChatResult, Choice } from "../../../src/canon/chat.ts"
import type {
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../../src/canon/message.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { NO_USAGE, type Usage } from "../../../src/canon/usage.ts"
import {
  ANTHROPIC_MESSAGES,
  anthropicMessages,
} from "../../../src/dialects/anthropic-messages/index.ts"
import { decodeStream } from "./fixtures.ts"

/** Nonempty words without trailing spaces, so that no part is omitted and no text is trimmed. */
const words = fc.stringMatching(/^[a-zäß😀"\\\n]*[a-z]$/u)
const names = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/)
const json = fc.dictionary(names, fc.oneof(fc.integer(), words, fc.boolean()), { maxKeys: 3 })
const cache = fc.option(fc.constantFrom({}, { ttl: "5m" }, { ttl: "1h" }), { nil: undefined })

/** Removes members that are undefined. */
function plain<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Value
}

const text = fc
  .record({ type: fc.constant("text" as const), text: words, cache })
  .map(plain) as fc.Arbitrary<TextPart>

const reasoning: fc.Arbitrary<ReasoningPart> = fc.oneof(
  fc.record({
    type: fc.constant("reasoning" as const),
    text: words,
    signature: words,
    signedBy: fc.constant("anthropic-messages" as const),
  }),
  fc.record({
    type: fc.constant("reasoning" as const),
    text: fc.constant(""),
    signature: words,
    signedBy: fc.constant("anthropic-messages" as const),
    isRedacted: fc.constant(true),
  }),
)

const image: fc.Arbitrary<Part> = fc.oneof(
  fc.constant<Part>({
    type: "image",
    source: { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" },
  }),
  fc.constant<Part>({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
  fc.constant<Part>({
    type: "file",
    source: { type: "base64", data: "JVBERi0=", mediaType: "application/pdf" },
    name: "a.pdf",
  }),
)

interface Exchange {
  readonly asked: readonly Part[]
  readonly response: readonly Part[]
  readonly calls: readonly Omit<ToolCallPart, "id">[]
  readonly results: readonly (readonly TextPart[])[]
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  asked: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 3 }),
  response: fc
    .tuple(fc.array(reasoning, { maxLength: 2 }), text)
    .map(([thoughts, said]) => [...thoughts, said]),
  calls: fc.array(
    fc.record({
      type: fc.constant("tool-call" as const),
      name: names,
      arguments: json.map((value) => JSON.stringify(value)),
    }),
    { maxLength: 3 },
  ),
  results: fc.array(fc.array(text, { maxLength: 2 }), { minLength: 3, maxLength: 3 }),
})

/** Returns a conversation in the usual order, so that decoding does not change it. */
function conversation(exchanges: readonly Exchange[]): Message[] {
  const messages: Message[] = []
  for (const [turn, { asked, response, calls, results }] of exchanges.entries()) {
    const idOf = (index: number) => `call_${turn}_${index}`
    messages.push({ role: "user", parts: asked })
    const called = calls.map((call, index) => ({ ...call, id: idOf(index) }))
    messages.push({ role: "assistant", parts: [...response, ...called] })
    if (calls.length === 0) continue
    const parts = calls.map((_, index): ToolResultPart => {
      const content = results[index] ?? []
      const id = idOf(index)
      return index === 1
        ? { type: "tool-result", id, content, failed: true }
        : { type: "tool-result", id, content }
    })
    messages.push({ role: "tool", parts })
    messages.push({ role: "assistant", parts: [{ type: "text", text: "so" }] })
  }
  return [...messages, { role: "user", parts: [{ type: "text", text: "on" }] }]
}

const tools = fc.option(
  fc.array(
    fc
      .record({
        name: names,
        description: fc.option(words, { nil: undefined }),
        parameters: fc.constant({ type: "object", properties: { x: { type: "number" } } }),
        cache,
      })
      .map(plain),
    { minLength: 1, maxLength: 2 },
  ),
  { nil: undefined },
)

const requests: fc.Arbitrary<ChatRequest> = fc
  .record({
    model: names,
    messages: fc.array(exchange, { maxLength: 3 }).map(conversation),
    system: fc.option(words, { nil: undefined }),
    stream: fc.boolean(),
    maxTokens: fc.integer({ min: 2000, max: 9000 }),
    temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
    topP: fc.option(fc.constantFrom(0.25, 1), { nil: undefined }),
    topK: fc.option(fc.nat(100), { nil: undefined }),
    stop: fc.option(fc.array(words, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    user: fc.option(names, { nil: undefined }),
    serviceTier: fc.option(fc.constantFrom("auto", "default"), { nil: undefined }),
    tools,
  })
  .map(({ system, ...rest }) => {
    const messages: Message[] =
      system === undefined
        ? rest.messages
        : [{ role: "system", parts: [{ type: "text", text: system }] }, ...rest.messages]
    return plain({ ...rest, messages, streamUsage: rest.stream, choices: 1 })
  }) as fc.Arbitrary<ChatRequest>

describe("decoding after encoding in the Anthropic format", () => {
  test("returns the same request if the encoder reports no loss", () => {
    const keeping = anthropicMessages({ temperatureWithTopP: true, families: [] })
    fc.assert(
      fc.property(requests, (request) => {
        const { body, losses } = keeping.encodeRequest(request)
        expect(losses).toEqual([])
        const sent = JSON.parse(JSON.stringify(body))
        expect(keeping.decodeRequest(sent)).toEqual(request)
      }),
    )
  })

  test("returns the same complete response", () => {
    const request = { model: "m", messages: [], stream: false, streamUsage: false, choices: 1 }
    fc.assert(
      fc.property(results, (result) => {
        const sent = JSON.parse(JSON.stringify(ANTHROPIC_MESSAGES.encodeResult(result, request)))
        expect(ANTHROPIC_MESSAGES.decodeResult(sent)).toEqual(withLifetimes(result))
      }),
    )
  })

  test("returns the same stream, even if tool calls are interleaved", () => {
    const request = { model: "m", messages: [], stream: true, streamUsage: true, choices: 1 }
    fc.assert(
      fc.property(results, fc.array(fc.nat(2), { maxLength: 40 }), (result, order) => {
        const events = eventsOf(result, order)
        const encoder = ANTHROPIC_MESSAGES.encodeEvents(request)
        const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
        const received = decodeStream(frames)
        expect(foldEvents(received)).toEqual(foldEvents(events))
        expect(foldEvents(received)).toEqual(result)
        const indexes = frames
          .filter(({ event }) => event === "content_block_start")
          .map(({ data }) => JSON.parse(data).index)
        expect(indexes).toEqual(indexes.map((_, position) => position))
      }),
    )
  })
})

const usages: fc.Arbitrary<Usage> = fc
  .record({
    inputFresh: fc.nat(),
    inputCacheRead: fc.nat(),
    inputCacheWrite: fc.nat(),
    output: fc.nat(),
    searches: fc.nat(3),
  })
  .map((counts) => ({ ...NO_USAGE, ...counts }))

/** Adds the lifetimes of cache writes, which only responses that are not streamed report. */
function withLifetimes(result: ChatResult): ChatResult {
  const { usage } = result
  return usage === undefined
    ? result
    : { ...result, usage: { ...usage, shortCacheWrite: usage.inputCacheWrite } }
}

/** Generates responses that a stream can also express: signed thoughts, one text, and calls. */
const results: fc.Arbitrary<ChatResult> = fc
  .record({
    thoughts: fc.array(reasoning, { maxLength: 3 }),
    text: words,
    calls: fc.array(fc.record({ name: names, input: json }), { maxLength: 3 }),
    end: fc.constantFrom<Partial<Choice>>(
      { finish: "length" },
      { finish: "stop", rawFinish: "stop_sequence", stopSequence: "END" },
      { finish: "stop", rawFinish: "pause_turn" },
      { finish: "content-filter", rawFinish: "refusal" },
    ),
    usage: usages,
  })
  .map(({ thoughts, text: said, calls, end, usage }) => {
    const called = calls.map(({ name, input }, index): Part => ({
      type: "tool-call",
      id: `call_${index}`,
      name,
      arguments: JSON.stringify(input),
    }))
    const parts: Part[] = [...thoughts, { type: "text", text: said }, ...called]
    const finish = calls.length > 0 ? ({ finish: "tool-calls" } as const) : end
    const choice: Choice = { index: 0, finish: "stop", ...finish, parts }
    return { id: "msg_1", model: "m", choices: [choice], usage }
  })

/** Returns the events of a response. Its calls start together and continue in the given order. */
function eventsOf(result: ChatResult, order: readonly number[]): ChatEvent[] {
  const [choice] = result.choices
  const events: ChatEvent[] = [{ type: "start", id: "msg_1", model: "m" }]
  const rest: string[] = []
  for (const part of choice?.parts ?? []) {
    if (part.type === "text") events.push({ type: "text-delta", choice: 0, text: part.text })
    if (part.type === "reasoning") pushReasoning(part, events)
    if (part.type !== "tool-call") continue
    const { id, name } = part
    events.push({ type: "tool-call-start", choice: 0, call: rest.length, id, name })
    rest.push(part.arguments)
  }
  const chunks = [...order, ...rest.flatMap((written, call) => [...written].map(() => call))]
  for (const call of chunks) {
    const written = rest[call]?.slice(0, 2) ?? ""
    rest[call] = rest[call]?.slice(2) ?? ""
    if (written !== "")
      events.push({ type: "tool-call-delta", choice: 0, call, arguments: written })
  }
  const { finish = "stop", rawFinish, stopSequence } = choice ?? {}
  const end = { type: "finish", choice: 0, reason: finish, rawReason: rawFinish, stopSequence }
  events.push(plain(end) as ChatEvent)
  if (result.usage !== undefined) events.push({ type: "usage", usage: result.usage })
  return events
}

function pushReasoning(part: ReasoningPart, events: ChatEvent[]): void {
  const { text: thought, signature = "", isRedacted } = part
  if (thought !== "") events.push({ type: "reasoning-delta", choice: 0, text: thought })
  const signed = { type: "reasoning-signature", choice: 0, signature } as const
  const signedBy = "anthropic-messages"
  events.push(isRedacted ? { ...signed, signedBy, isRedacted } : { ...signed, signedBy })
}
