import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { decoded, framesFrom, requestOf } from "./fixtures.ts"

const START: JsonObject = {
  id: "7f",
  type: "message-start",
  delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [] } },
}

function end(finish_reason: string, usage: JsonObject = {}): JsonObject {
  return { type: "message-end", delta: { finish_reason, usage } }
}

function text(words: string, index = 0): JsonObject {
  return { type: "content-delta", index, delta: { message: { content: { text: words } } } }
}

function callStart(index: number, id: string, written = ""): JsonObject {
  const tool_calls = { id, type: "function", function: { name: "clock", arguments: written } }
  return { type: "tool-call-start", index, delta: { message: { tool_calls } } }
}

function callDelta(index: number, written: string): JsonObject {
  const tool_calls = { function: { arguments: written } }
  return { type: "tool-call-delta", index, delta: { message: { tool_calls } } }
}

function eventsOf(...chunks: JsonObject[]): ChatEvent[] {
  return decoded(framesFrom(...chunks)).events
}

test("the Cohere stream decoder reads text, the end of the stream and usage", () => {
  const tokens = { input_tokens: 3, output_tokens: 2 }
  const block = { type: "content-start", index: 0 }
  const opened = { ...block, delta: { message: { content: { type: "text", text: "" } } } }
  const { events, finished } = decoded([
    ...framesFrom(
      START,
      opened,
      text("Hel"),
      text("lo"),
      { type: "content-end", index: 0 },
      end("COMPLETE", { tokens }),
    ),
    { data: "[DONE]" },
  ])
  expect(finished).toBe(true)
  expect(events.slice(0, -1)).toEqual([
    { type: "start", id: "7f" },
    { type: "text-delta", choice: 0, text: "Hel" },
    { type: "text-delta", choice: 0, text: "lo" },
    { type: "finish", choice: 0, reason: "stop" },
  ])
  expect(events.at(-1)).toMatchObject({ type: "usage", usage: { inputFresh: 3, output: 2 } })
})

test("the Cohere stream decoder reads thinking and the plan as reasoning", () => {
  const thinking = { message: { content: { thinking: "Hmm." } } }
  const events = eventsOf(
    { type: "content-delta", index: 0, delta: thinking },
    { type: "tool-plan-delta", delta: { message: { tool_plan: "I will look." } } },
  )
  expect(events).toEqual([
    { type: "reasoning-delta", choice: 0, text: "Hmm." },
    { type: "reasoning-delta", choice: 0, text: "I will look." },
  ])
})

describe("the Cohere stream decoder of tool calls", () => {
  test("separates calls by index if each delta is an object", () => {
    const result = foldEvents(
      eventsOf(
        START,
        callStart(0, "a"),
        callDelta(0, '{"zone":'),
        callDelta(0, '"UTC"}'),
        { type: "tool-call-end", index: 0 },
        callStart(1, "b"),
        callDelta(1, "{}"),
        end("TOOL_CALL"),
      ),
    )
    expect(result.choices[0]).toEqual({
      index: 0,
      finish: "tool-calls",
      parts: [
        { type: "tool-call", id: "a", name: "clock", arguments: '{"zone":"UTC"}' },
        { type: "tool-call", id: "b", name: "clock", arguments: "{}" },
      ],
    })
  })

  test("returns an empty object for missing or null arguments, in any number of chunks", () => {
    for (const chunks of [[], [""], ["null"], ["nu", "ll"]]) {
      const deltas = chunks.map((chunk) => callDelta(0, chunk))
      const events = eventsOf(callStart(0, "a"), ...deltas, end("TOOL_CALL"))
      expect(events.some(({ type }) => type === "tool-call-delta")).toBe(false)
      expect(foldEvents(events).choices[0]?.parts).toEqual([
        { type: "tool-call", id: "a", name: "clock", arguments: "{}" },
      ])
    }
  })

  test("forwards arguments whose first characters look like null", () => {
    const events = eventsOf(callStart(0, "a", "nu"), callDelta(0, "mber"), callDelta(0, "null"))
    expect(events.slice(1)).toEqual([
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "number" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: "null" },
    ])
  })

  test("reports tool calls as the finish reason even if Cohere reports complete", () => {
    expect(eventsOf(callStart(0, "a"), end("COMPLETE")).at(-1)).toEqual({
      type: "finish",
      choice: 0,
      reason: "tool-calls",
      rawReason: "COMPLETE",
    })
  })
})

test("the Cohere stream decoder attaches citations to the text before them", () => {
  const source = { type: "document", id: "doc:0", document: { title: "Facts" } }
  const cited = { start: 0, end: 5, text: "Hello", sources: [source], type: "TEXT_CONTENT" }
  const citation = (citations: JsonObject) => ({
    type: "citation-start",
    index: 0,
    delta: { message: { citations } },
  })
  const [choice] = foldEvents(
    eventsOf(START, text("Hello"), citation(cited), citation({ ...cited, type: "PLAN" })),
  ).choices
  const extra = { dialect: "cohere-chat" as const, fields: { type: "document", id: "doc:0" } }
  expect(choice?.parts).toEqual([
    { type: "text", text: "Hello", citations: [{ title: "Facts", start: 0, end: 5, extra }] },
  ])
})

test("the Cohere stream decoder reports the request's only stop string as matched", () => {
  const frames = framesFrom(START, text("a"), end("STOP_SEQUENCE"))
  const { events } = decoded(frames, requestOf({ stop: ["END"] }))
  expect(events.at(-1)).toEqual({
    type: "finish",
    choice: 0,
    reason: "stop",
    rawReason: "STOP_SEQUENCE",
    stopSequence: "END",
  })
})

test("the Cohere stream decoder keeps the log probabilities of each chunk", () => {
  const logprob = (words: string) => ({ text: words, token_ids: [1], logprobs: [-0.5] })
  const result = foldEvents(
    eventsOf({ ...text("a"), logprobs: logprob("a") }, { ...text("b"), logprobs: logprob("b") }),
  )
  expect(result.choices[0]?.extra).toEqual({
    dialect: "cohere-chat",
    fields: { logprobs: [logprob("a"), logprob("b")] },
  })
})

describe("the Cohere stream decoder of an incomplete stream", () => {
  test("does not finish a stream without message-end, with or without [DONE]", () => {
    expect(decoded(framesFrom(START, text("a"))).finished).toBe(false)
    expect(decoded([...framesFrom(START, text("a")), { data: "[DONE]" }]).finished).toBe(false)
    expect(decoded([]).finished).toBe(false)
  })

  test("reports a vendor failure after usage", () => {
    const usage = { tokens: { input_tokens: 3, output_tokens: 2 } }
    const delta = { finish_reason: "ERROR", error: "shard lost", usage }
    const { events, finished } = decoded(framesFrom(START, { type: "message-end", delta }))
    expect(finished).toBe(false)
    expect(events[1]).toMatchObject({ type: "usage", usage: { output: 2 } })
    expect(events[2]).toEqual(errorEvent({ message: "shard lost", code: "ERROR" }))
    expect(() => foldEvents(events)).toThrow(GatewayError)
  })

  test("reports an error that the vendor sends instead of an event", () => {
    const error = { id: "7f", message: "too many requests" }
    for (const frame of [
      { data: JSON.stringify(error) },
      { event: "error", data: JSON.stringify(error) },
    ]) {
      expect(decoded([frame]).events).toEqual([errorEvent({ message: "too many requests" })])
    }
  })

  test("reports a frame with invalid JSON", () => {
    const decoder = COHERE_CHAT.decodeEvents()
    expect(() => decoder.push({ event: "content-delta", data: '{"type":"con' })).toThrow(
      "The provider sent a part of the stream that is not valid JSON.",
    )
  })
})

test("the Cohere stream decoder ignores unknown events, blocks and members", () => {
  const strange = [
    { type: "debug", prompt: "<s>" },
    { type: "keepalive" },
    { type: "content-start", index: 1, delta: { message: { content: { type: "image" } } } },
    { type: "content-delta", index: 1 },
    { type: "tool-call-delta", index: 9, delta: { message: { tool_calls: [{ id: "a" }] } } },
    { type: "citation-start", delta: { message: { citations: [] } } },
    { mood: "good" },
  ]
  expect(eventsOf(...strange)).toEqual([])
  expect(decoded([{ data: "" }]).events).toEqual([])
})

test("the Cohere stream decoder does not parse a parsed frame again", () => {
  const json = text("a")
  const decoder = COHERE_CHAT.decodeEvents()
  expect(decoder.push({ event: "content-delta", data: "not looked at", json })).toEqual([
    { type: "text-delta", choice: 0, text: "a" },
  ])
})
