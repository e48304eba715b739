import { describe, expect, test } from "bun:test"
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"

const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [],
  stream: true,
  streamUsage: false,
  choices: 1,
}
const START: ChatEvent = { type: "start", id: "chatcmpl-1", model: "m", created: 5 }

function encode(events: readonly ChatEvent[], request = REQUEST): SseFrame[] {
  const encoder = OPENAI_CHAT.encodeEvents(request)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

function chunksOf(frames: readonly SseFrame[]): JsonObject[] {
  return frames.filter(({ data }) => data !== "[DONE]").map(({ data }) => JSON.parse(data))
}

/** Returns the result that the official client reads from the frames. */
async function readByClient(frames: readonly SseFrame[]) {
  const lines = chunksOf(frames).map((chunk) => `${JSON.stringify(chunk)}\n`)
  const stream = ChatCompletionStream.fromReadableStream(
    new Blob(lines).stream() as unknown as ReadableStream,
  )
  return stream.finalChatCompletion()
}

describe("the OpenAI stream encoder", () => {
  test("writes the role first, then deltas, the finish reason and [DONE]", () => {
    const frames = encode([
      START,
      { type: "text-delta", choice: 0, text: 'Hi "you"\n' },
      { type: "usage", usage: { ...NO_USAGE, output: 2 } },
      { type: "finish", choice: 0, reason: "stop" },
    ])
    const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 5, model: "m" }
    const open = { index: 0, logprobs: null, finish_reason: null }
    expect(chunksOf(frames)).toEqual([
      {
        ...head,
        choices: [{ ...open, delta: { role: "assistant", content: "", refusal: null } }],
      },
      { ...head, choices: [{ ...open, delta: { content: 'Hi "you"\n' } }] },
      { ...head, choices: [{ ...open, delta: {}, finish_reason: "stop" }] },
    ])
    expect(frames.at(-1)).toEqual({ data: "[DONE]" })
  })

  test("writes usage last, and null before it, if the caller requested usage", () => {
    const frames = encode(
      [
        START,
        { type: "usage", usage: { ...NO_USAGE, inputFresh: 1 } },
        { type: "text-delta", choice: 0, text: "a" },
        { type: "choice-extra", choice: 0, extra: { dialect: "openai-chat", fields: { a: 1 } } },
        { type: "finish", choice: 0, reason: "length" },
        { type: "usage", usage: { ...NO_USAGE, inputFresh: 1, output: 9 } },
      ],
      { ...REQUEST, streamUsage: true },
    )
    const chunks = chunksOf(frames)
    const last = chunks.pop()!
    expect(chunks.every(({ usage }) => usage === null)).toBe(true)
    expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 9 } })
    expect(frames.at(-2)?.json).toEqual(last)
    const carrier = frames.at(-2)?.json ?? {}
    OPENAI_CHAT.setCost(carrier, "0.000012")
    expect(carrier.usage).toMatchObject({ completion_tokens: 9, cost: 0.000012 })
  })

  test("starts tool calls without content, and ends them with their arguments", async () => {
    const frames = encode([
      START,
      { type: "tool-call-start", choice: 0, call: 0, id: "call_a", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "" },
      { type: "tool-call-start", choice: 0, call: 1, id: "call_b", name: "g" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: '{"x"' },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: ":1}" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
    const deltas = chunksOf(frames).map(
      ({ choices }) => (choices as JsonObject[])[0]?.delta as JsonObject,
    )
    expect(deltas).toEqual([
      { role: "assistant", content: null, refusal: null },
      {
        tool_calls: [
          { index: 0, id: "call_a", type: "function", function: { name: "f", arguments: "" } },
        ],
      },
      {
        tool_calls: [
          { index: 1, id: "call_b", type: "function", function: { name: "g", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 1, function: { arguments: ":1}" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
      {},
    ])
    const completion = await readByClient(frames)
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: "call_a", function: { name: "f", arguments: "{}" } },
      { id: "call_b", function: { name: "g", arguments: '{"x":1}' } },
    ])
    expect(completion.choices[0]?.finish_reason).toBe("tool_calls")
  })

  test("writes the role of each choice, as the official client expects", async () => {
    const frames = encode([
      START,
      { type: "reasoning-delta", choice: 1, text: "hm" },
      { type: "text-delta", choice: 0, text: "a" },
      { type: "text-delta", choice: 1, text: "b" },
      { type: "finish", choice: 0, reason: "stop" },
      { type: "finish", choice: 1, reason: "content-filter" },
    ])
    const completion = await readByClient(frames)
    expect(completion.choices).toMatchObject([
      { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" },
      { index: 1, message: { content: "b" }, finish_reason: "content_filter" },
    ])
  })

  test("writes citations in one list before the finish reason", async () => {
    const cite = (url: string, start: number): ChatEvent => ({
      type: "citation",
      choice: 0,
      citation: { url, title: "T", start, end: start + 1 },
    })
    const frames = encode([
      START,
      { type: "text-delta", choice: 0, text: "abc" },
      cite("https://host/a", 0),
      { type: "reasoning-delta", choice: 0, text: "hm" },
      { type: "text-delta", choice: 0, text: "def" },
      cite("https://host/b", 0),
      { type: "finish", choice: 0, reason: "stop" },
    ])
    const message = (await readByClient(frames)).choices[0]?.message
    expect(message?.content).toBe("abcdef")
    expect(message?.annotations).toMatchObject([
      { type: "url_citation", url_citation: { url: "https://host/a", start_index: 0 } },
      { type: "url_citation", url_citation: { url: "https://host/b", start_index: 3 } },
    ])
    const lists = chunksOf(frames).filter((chunk) => JSON.stringify(chunk).includes("annotations"))
    expect(lists).toHaveLength(1)
  })

  test("generates one id for all chunks if the stream has no start event", () => {
    const chunks = chunksOf(encode([{ type: "text-delta", choice: 0, text: "a" }]))
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks[0]).toMatchObject({ model: "vendor/model" })
    expect(String(chunks[0]?.id)).toStartWith("chatcmpl-")
  })

  test("adds the gateway's prefix to ids of other vendors", () => {
    const chunks = chunksOf(
      encode([
        { type: "start", id: "msg_1" },
        { type: "finish", choice: 0, reason: "other" },
      ]),
    )
    expect(chunks[0]).toMatchObject({ id: "chatcmpl-msg_1", model: "vendor/model" })
  })

  test("sends usage and [DONE] only when the stream ends", () => {
    const encoder = OPENAI_CHAT.encodeEvents({ ...REQUEST, streamUsage: true })
    const events: ChatEvent[] = [
      START,
      { type: "finish", choice: 0, reason: "stop" },
      { type: "usage", usage: NO_USAGE },
    ]
    const pushed = events.flatMap((event) => encoder.push(event))
    expect(chunksOf(pushed).every(({ usage }) => usage === null)).toBe(true)
    expect(pushed.some(({ data }) => data === "[DONE]")).toBe(false)
    expect(encoder.end()).toMatchObject([{ json: { choices: [] } }, { data: "[DONE]" }])
  })

  test("drops extras of other dialects, and writes OpenAI's extras to their original fields", () => {
    const fields = { logprobs: { content: [] }, message: { annotations: [1] } }
    const ours = encode([START, extraEvent("openai-chat", fields)])
    expect(chunksOf(ours)[1]).toMatchObject({
      choices: [{ delta: { annotations: [1] }, logprobs: { content: [] } }],
    })
    expect(chunksOf(encode([START, extraEvent("gemini", fields)]))).toEqual([])
  })

  test("ends with an error if the stream breaks", () => {
    const frames = encode([
      START,
      { type: "text-delta", choice: 0, text: "a" },
      errorEvent({ message: "broke", code: "overloaded" }),
    ])
    expect(chunksOf(frames).at(-1)).toMatchObject({
      error: { message: "broke", code: "overloaded" },
    })
    expect(frames.some(({ data }) => data === "[DONE]")).toBe(false)
    const error = new GatewayError("upstream_timeout", "late")
    const encoder = OPENAI_CHAT.encodeEvents(REQUEST)
    encoder.push(START)
    const [frame, ...more] = encoder.fail(error, "request-1")
    expect(more).toEqual([])
    expect(JSON.parse(frame!.data)).toMatchObject({
      error: { message: "late", error_type: "upstream_timeout", request_id: "request-1" },
    })
    expect(encoder.end()).toEqual([])
  })
})

function extraEvent(dialect: "openai-chat" | "gemini", fields: JsonObject): ChatEvent {
  return { type: "choice-extra", choice: 0, extra: { dialect, fields } }
}

test("the OpenAI stream encoder writes each signature once, and repeats all signatures only at the end", () => {
  const chunks = 5_000
  const frames = encode([
    START,
    ...Array.from({ length: chunks }, (_, index): ChatEvent => ({
      type: "reasoning-signature",
      choice: 0,
      signature: `signature ${index}`,
      signedBy: "anthropic-messages",
      isRedacted: true,
    })),
    { type: "finish", choice: 0, reason: "stop" },
  ])
  const size = frames.reduce((sum, { data }) => sum + data.length, 0)
  expect(size).toBeLessThan(20_000_000)
  const lists = chunksOf(frames).flatMap((chunk) => {
    const [choice] = chunk.choices as { delta: { reasoning_details?: unknown[] } }[]
    return choice?.delta.reasoning_details === undefined ? [] : [choice.delta.reasoning_details]
  })
  expect(lists.at(-1)).toHaveLength(chunks)
})
