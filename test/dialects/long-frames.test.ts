import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../src/canon/chat.ts"
import type { EventEncoder, SseFrame } from "../../src/canon/dialect.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import type { JsonValue } from "../../src/canon/json.ts"
import { LARGE_BODY } from "../../src/canon/sliced-json-text.ts"
import { CLIENTS } from "../golden/dialects.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const FAILURE = new GatewayError("upstream_error", "The provider failed.")
/** Maximum number of characters that one event may write or parse before it is sent in slices. */
const MAX_AT_ONCE = 2 * LARGE_BODY

function list<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const TEXT: ChatEvent = { type: "text-delta", choice: 0, text: "a" }
const FINISH: ChatEvent = { type: "finish", choice: 0, reason: "stop" }
const CALLS: readonly ChatEvent[] = list(40, (call): ChatEvent[] => [
  { type: "tool-call-start", choice: 0, call, id: `c${call}`, name: "f" },
  { type: "tool-call-delta", choice: 0, call, arguments: `{"a":[${"1,".repeat(50_000)}0]}` },
]).flat()

function logprobs(token: JsonValue, count: number): ChatEvent {
  const fields = { logprobs: { content: list(count, () => token) } }
  return { type: "choice-extra", choice: 0, extra: { dialect: "openai-chat", fields } }
}

const LONG_TOKEN = logprobs({ token: "w".repeat(16_000), logprob: -0.1, top_logprobs: [] }, 20)
const MEMBERS = logprobs({ token: "a", logprob: -0.1, unknown: list(900, () => 0) }, 100)
const CITATIONS = list(5_000, (index): ChatEvent => {
  const citation = { url: `https://x.test/${index}/${"u".repeat(500)}`, start: 0, end: 1 }
  return { type: "citation", choice: 0, citation }
})

const RESPONSES: Readonly<Record<string, readonly ChatEvent[]>> = {
  "long calls": CALLS,
  "long calls before text": [...CALLS, TEXT],
  "ended long calls": [...CALLS, FINISH],
  "long tokens": [TEXT, ...list(20, () => LONG_TOKEN)],
  "tokens with unknown members": [TEXT, ...list(20, () => MEMBERS)],
  "long sources": [TEXT, ...CITATIONS],
}

const ENDINGS: Readonly<Record<string, (encoder: EventEncoder) => SseFrame[]>> = {
  "the usual last event": (encoder) => encoder.end(),
  "a failure": (encoder) => encoder.fail(FAILURE, "req_1"),
  "a reported error": (encoder) =>
    encoder.push({ type: "error", message: "boom", failure: FAILURE }),
}

/**
 * Returns the number of characters of a frame that are written when it is returned. Long frames are written later, in
 * slices.
 */
const writtenAtOnce = (frame: SseFrame): number =>
  frame.pieces === undefined ? frame.data.length : 0

let parse: Mock<typeof JSON.parse>
beforeEach(() => {
  parse = spyOn(JSON, "parse")
})
afterEach(() => parse.mockRestore())

/** Returns the number of characters that one step writes and parses. */
function stepLength(step: () => SseFrame[]): number {
  parse.mockClear()
  const written = step().reduce((sum, frame) => sum + writtenAtOnce(frame), 0)
  return parse.mock.calls.reduce((sum, [text]) => sum + text.length, written)
}

describe.each(CLIENTS.map((client) => [client.id, client] as const))(
  "the encoder of a stream of %s",
  (_, client) => {
    describe.each(Object.entries(ENDINGS))("that ends with %s", (_name, end) => {
      test.each(Object.entries(RESPONSES))(
        "writes a response with %s in slices",
        (_answer, events) => {
          const encoder = client.encodeEvents(REQUEST)
          const lengths = events.map((event) => stepLength(() => encoder.push(event)))
          expect(Math.max(...lengths)).toBeLessThan(MAX_AT_ONCE)
          expect(stepLength(() => end(encoder))).toBeLessThan(MAX_AT_ONCE)
        },
      )
    })
  },
)
