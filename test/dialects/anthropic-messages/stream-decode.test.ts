import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { readFixture, HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { restored } from "../restored-dialect.ts"
import { decodeStream, framesOf, framesOfLines } from "./fixtures.ts"

const USAGE = { input_tokens: 5, output_tokens: 1 }
const START = {
  type: "message_start",
  message: { id: "msg_1", type: "message", model: "m", content: [], usage: USAGE },
}
const STOP = { type: "message_stop" }

function end(word = "end_turn", more: JsonObject = {}): JsonObject {
  const delta = { stop_reason: word, stop_sequence: null, ...more }
  return { type: "message_delta", delta, usage: { output_tokens: 9 } }
}

function opening(index: number, block: JsonObject): JsonObject {
  return { type: "content_block_start", index, content_block: block }
}

function delta(index: number, value: JsonObject): JsonObject {
  return { type: "content_block_delta", index, delta: value }
}

function closing(index: number): JsonObject {
  return { type: "content_block_stop", index }
}

function framed(events: readonly JsonObject[]): SseFrame[] {
  return events.map((event) => ({ event: String(event.type), data: JSON.stringify(event) }))
}

function decode(events: readonly JsonObject[], request?: ChatRequest): ChatEvent[] {
  return decodeStream(framed(events), restored(ANTHROPIC_MESSAGES), request)
}

/** Returns the events of one block, without the events around it. */
function inside(...events: JsonObject[]): ChatEvent[] {
  return decode([START, ...events]).slice(2)
}

describe("the Anthropic stream decoder", () => {
  test("yields text, finish reason and usage", () => {
    const events = decode([
      START,
      opening(0, { type: "text", text: "" }),
      { type: "ping" },
      delta(0, { type: "text_delta", text: "Hel" }),
      { type: "ping" },
      delta(0, { type: "text_delta", text: "lo" }),
      closing(0),
      end("stop_sequence", { stop_sequence: "END" }),
      STOP,
    ])
    expect(events).toMatchObject([
      { type: "start", id: "msg_1", model: "m" },
      { type: "usage", usage: { inputFresh: 5, output: 1 } },
      { type: "text-delta", choice: 0, text: "Hel" },
      { type: "text-delta", choice: 0, text: "lo" },
      { type: "finish", reason: "stop", rawReason: "stop_sequence", stopSequence: "END" },
      { type: "usage", usage: { inputFresh: 5, output: 9 } },
    ])
  })

  test("finishes at the message_stop event, or at the end of a stream with a stop reason", () => {
    const decoder = ANTHROPIC_MESSAGES.decodeEvents()
    const push = (event: JsonObject) => framed([event]).flatMap((frame) => decoder.push(frame))
    push(START)
    expect(decoder.finished).toBe(false)
    push(end())
    expect(decoder.finished).toBe(false)
    decoder.end()
    expect(decoder.finished).toBe(true)
    const broken = ANTHROPIC_MESSAGES.decodeEvents()
    for (const frame of framed([START, opening(0, { type: "text", text: "Hi" })])) {
      broken.push(frame)
    }
    broken.end()
    expect(broken.finished).toBe(false)
    // If a server omits the finish reason, the response has still ended.
    const silent = decode([START, STOP])
    expect(silent.at(-1)).toEqual({ type: "finish", choice: 0, reason: "other" })
  })

  test("skips unknown events and blocks", () => {
    const known = decode([START, end(), STOP])
    const events = [
      START,
      { type: "weather_report", warm: true },
      delta(7, { type: "text_delta_of_tomorrow", text: "x" }),
      closing(9),
      opening(0, "text" as never),
      { no: "type" },
      end(),
      STOP,
    ]
    expect(decode(events as JsonObject[])).toEqual(known)
  })

  test("treats invalid JSON as a vendor failure", () => {
    const decoder = ANTHROPIC_MESSAGES.decodeEvents()
    expect(() => decoder.push({ event: "message_start", data: "<html>" })).toThrow(GatewayError)
    expect(decoder.push({ data: "" })).toEqual([])
  })

  test("reports an error event", () => {
    const error = { details: null, type: "overloaded_error", message: "Overloaded" }
    const event = { type: "error", error, request_id: "r" }
    const told = errorEvent({ message: "Overloaded", code: "overloaded_error" })
    expect(inside(event)).toEqual([told])
    expect(decodeStream([{ data: JSON.stringify({ error }) }])).toEqual([told])
    expect(decodeStream([{ event: "error", data: "gone" }])).toEqual([
      errorEvent({ message: "gone" }),
    ])
    expect(() => foldEvents(inside(event))).toThrow(GatewayError)
  })
})

describe("the Anthropic stream decoder of content blocks", () => {
  test("decodes a tool call without arguments", () => {
    const use = { type: "tool_use", id: "a", name: "f", input: {} }
    const events = inside(
      opening(0, use),
      delta(0, { type: "input_json_delta", partial_json: "" }),
      closing(0),
      end("tool_use"),
    )
    expect(events.slice(0, 2)).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: "a", name: "f" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
    expect(foldEvents(events).choices[0]?.parts).toMatchObject([{ arguments: "{}" }])
  })

  test("numbers parallel calls regardless of other blocks between them", () => {
    const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} })
    const events = inside(
      opening(0, { type: "text", text: "" }),
      closing(0),
      opening(1, use("a")),
      delta(1, { type: "input_json_delta", partial_json: '{"x":' }),
      delta(1, { type: "input_json_delta", partial_json: "1}" }),
      closing(1),
      opening(2, use("b")),
      closing(2),
    )
    expect(events).toEqual([
      { type: "tool-call-start", choice: 0, call: 0, id: "a", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"x":' },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "1}" },
      { type: "tool-call-start", choice: 0, call: 1, id: "b", name: "f" },
    ])
  })

  test("accepts all arguments of a call in the event that starts its block", () => {
    const use = { type: "tool_use", id: "a", name: "f", input: { x: 1 } }
    expect(inside(opening(0, use), closing(0))[1]).toEqual({
      type: "tool-call-delta",
      choice: 0,
      call: 0,
      arguments: '{"x":1}',
    })
  })

  test("estimates the length of summarized thinking from its signature", () => {
    const decoder = ANTHROPIC_MESSAGES.decodeEvents()
    const events = [
      START,
      opening(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm." }),
      delta(0, { type: "signature_delta", signature: "x".repeat(400) }),
      closing(0),
    ]
    for (const json of events) decoder.push({ data: JSON.stringify(json), json })
    expect(decoder.other.characters).toBe(397)
  })

  test("keeps the latest signature of thinking", () => {
    const events = inside(
      opening(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm." }),
      delta(0, { type: "signature_delta", signature: "one" }),
      delta(0, { type: "signature_delta", signature: "two" }),
      closing(0),
      opening(1, { type: "redacted_thinking", data: "secret" }),
      closing(1),
      opening(2, { type: "thinking", thinking: "", signature: "" }),
      delta(2, { type: "signature_delta", signature: "only" }),
      closing(2),
    )
    const signed = { type: "reasoning-signature", choice: 0, signedBy: "anthropic-messages" }
    expect(events).toEqual([
      { type: "reasoning-delta", choice: 0, text: "Hm." },
      { ...signed, signature: "two" },
      { ...signed, signature: "secret", isRedacted: true },
      { ...signed, signature: "only" },
    ] as ChatEvent[])
  })

  test("reports citations after their text", () => {
    const citation = { type: "web_search_result_location", url: "https://a", cited_text: "q" }
    const events = inside(
      opening(0, { type: "text", text: "", citations: [] }),
      delta(0, { type: "citations_delta", citation }),
      delta(0, { type: "text_delta", text: "So it is." }),
      closing(0),
    )
    expect(events).toEqual([
      { type: "text-delta", choice: 0, text: "So it is." },
      {
        type: "citation",
        choice: 0,
        citation: {
          url: "https://a",
          quote: "q",
          extra: { dialect: "anthropic-messages", fields: citation },
        },
      },
    ])
  })

  test("keeps blocks of the vendor's own tools as Anthropic extras", () => {
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} }
    const events = inside(
      opening(0, search),
      delta(0, { type: "input_json_delta", partial_json: '{"query":"x"}' }),
      closing(0),
      opening(1, { type: "compaction", content: null }),
      delta(1, { type: "compaction_delta", content: "Ear" }),
      delta(1, { type: "compaction_delta", content: "lier" }),
      closing(1),
    )
    const extra = foldEvents(events).choices[0]?.extra
    expect(extra).toEqual({
      dialect: "anthropic-messages",
      fields: {
        content: [
          { ...search, input: { query: "x" } },
          { type: "compaction", content: "Earlier" },
        ],
      },
    })
  })

  test("reads complete content in the message_start event", () => {
    const content = [{ type: "tool_use", id: "a", name: "f", input: { x: 1 } }]
    const message = { ...START.message, content, stop_reason: "tool_use" }
    const result = foldEvents(decode([{ type: "message_start", message }, STOP]))
    expect(result.choices).toEqual([
      {
        index: 0,
        finish: "tool-calls",
        parts: [{ type: "tool-call", id: "a", name: "f", arguments: '{"x":1}' }],
      },
    ])
  })

  test("converts calls to the structured response tool to text", () => {
    const request: ChatRequest = {
      model: "claude-3-7-sonnet-20250219",
      messages: [],
      stream: true,
      streamUsage: true,
      choices: 1,
      responseFormat: { type: "json-schema", name: "x", schema: { type: "object" } },
    }
    const use = { type: "tool_use", id: "a", name: "json_answer", input: {} }
    const events = [
      START,
      opening(0, use),
      delta(0, { type: "input_json_delta", partial_json: '{"x":' }),
      delta(0, { type: "input_json_delta", partial_json: "1}" }),
      closing(0),
      end("tool_use"),
      STOP,
    ]
    expect(foldEvents(decode(events, request)).choices).toEqual([
      { index: 0, finish: "stop", parts: [{ type: "text", text: '{"x":1}' }] },
    ])
  })
})

describe("the Anthropic stream decoder of usage", () => {
  test("replaces earlier usage with later usage instead of adding both", () => {
    const cache = { cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 4 } }
    const counts = { input_tokens: 5, cache_creation_input_tokens: 7, output_tokens: 1, ...cache }
    const events = decode([
      { type: "message_start", message: { ...START.message, usage: counts } },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 6, cache_read_input_tokens: null, output_tokens: 20 },
      },
      STOP,
    ])
    expect(foldEvents(events).usage).toMatchObject({
      inputFresh: 6,
      inputCacheWrite: 4,
      inputCacheWrite1h: 3,
      inputCacheRead: 0,
      output: 20,
    })
  })
})

test("the Anthropic stream decoder ignores an event without a type", () => {
  const decoder = ANTHROPIC_MESSAGES.decodeEvents()
  expect(decoder.push({ data: '{"choices":[{"text":"Hello"}]}' })).toEqual([])
  expect(decoder.other?.amount).toBe(0)
})

describe(`the Anthropic stream decoder on unusual recordings${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)("ignores a second start event", () => {
    const file = "vercel-ai/anthropic/duplicate-message-start.chunks.txt"
    const events = decodeStream(framesOfLines(readFixture(file)))
    expect(events.filter(({ type }) => type === "start")).toHaveLength(1)
    expect(foldEvents(events)).toMatchObject({
      id: "msg_dup",
      choices: [{ parts: [{ text: "Hello, World!" }], finish: "stop" }],
      usage: { inputFresh: 17, output: 227 },
    })
  })

  test.skipIf(!HAS_FIXTURES)("reads the input tokens from the last event", () => {
    const file = "vercel-ai/anthropic/anthropic-message-delta-input-tokens.chunks.txt"
    const { usage } = foldEvents(decodeStream(framesOfLines(readFixture(file))))
    expect(usage).toMatchObject({ inputFresh: 61, output: 2 })
  })

  test.skipIf(!HAS_FIXTURES)("keeps the details of a refusal", () => {
    const file = "anthropic-sdk/py-refusal_response.txt"
    const [choice] = foldEvents(decodeStream(framesOf(readFixture(file)))).choices
    expect(choice).toMatchObject({
      finish: "content-filter",
      rawFinish: "refusal",
      parts: [],
      extra: { fields: { stop_details: { category: "cyber" } } },
    })
  })
})
