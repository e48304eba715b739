import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { DONE, chunk, delta, calls, finish, decode, changes } from "./decoded-events.ts"

describe("frames that say nothing", () => {
  test.each([
    ['{"type":"keepalive"}'],
    ['{"type":"ping"}'],
    ["{}"],
    [""],
    ['{"choices":null}'],
    ['{"choices":[null]}'],
  ])("%s", (data) => {
    expect(changes({ data })).toEqual([])
  })

  test("Azure's first chunk starts nothing: it has no id yet", () => {
    const first = {
      choices: [],
      created: 0,
      id: "",
      model: "",
      object: "",
      prompt_filter_results: [1],
    }
    const events = decode({ data: JSON.stringify(first) }, delta({ content: "a" }))
    expect(events).toEqual([
      { type: "start", id: "chatcmpl-1", model: "m", created: 5 },
      { type: "text-delta", choice: 0, text: "a" },
    ])
  })

  test("a choice without delta or finish reason", () => {
    expect(changes(chunk({ index: 0 }), chunk({ delta: { content: "a" } }))).toEqual([
      { type: "text-delta", choice: 0, text: "a" },
    ])
  })

  test("a cumulative message with the delta is no second answer", () => {
    const choice = { index: 0, delta: { content: "a" }, message: { content: "a" } }
    expect(changes(chunk(choice))).toHaveLength(1)
  })
})

describe("usage", () => {
  test("comes where vendors put it, each time as it then stands", () => {
    const first = { prompt_tokens: 5, completion_tokens: 1 }
    const last = { prompt_tokens: 5, completion_tokens: 2 }
    const events = changes(
      chunk({ index: 0, delta: { content: "a" } }, { usage: first }),
      chunk({ index: 0, delta: {}, finish_reason: "stop" }, { x_groq: { id: "r", usage: last } }),
    )
    expect(events).toMatchObject([
      { type: "text-delta" },
      { type: "usage", usage: { output: 1 } },
      { type: "finish" },
      { type: "usage", usage: { output: 2 } },
    ])
  })

  test("null is none", () => {
    expect(changes(chunk({ index: 0, delta: {} }, { usage: null, x_groq: null }))).toEqual([])
  })
})

describe("errors after 200", () => {
  test.each([
    ["OpenAI's", { error: { message: "sorry", type: "server_error", code: null } }, "server_error"],
    ["OpenRouter's, in a chunk", { choices: [], error: { code: 502, message: "sorry" } }, "502"],
    ["xAI's", { code: "invalid-argument", error: "sorry" }, "invalid-argument"],
  ])("%s", (_, body, code) => {
    expect(decode({ data: JSON.stringify(body) })).toEqual([errorEvent({ message: "sorry", code })])
  })

  test("named by the event", () => {
    const data = JSON.stringify({ message: "sorry" })
    expect(decode({ event: "error", data })).toEqual([errorEvent({ message: "sorry" })])
    expect(decode({ event: "error", data: "sorry" })).toEqual([errorEvent({ message: "sorry" })])
  })

  test("a frame that is no JSON cannot be read", () => {
    for (const data of ["{", "<html>", "[]", "null", '"text"']) {
      expect(() => decode({ data })).toThrow(GatewayError)
    }
  })
})

describe("the end", () => {
  test("without [DONE] a stream is whole when its choices are", () => {
    const decoder = OPENAI_CHAT.decodeEvents()
    decoder.push(delta({ content: "a" }))
    decoder.push(finish("stop"))
    decoder.end()
    expect(decoder.finished).toBe(true)
  })

  test("a stream that breaks off is not whole", () => {
    const decoder = OPENAI_CHAT.decodeEvents()
    decoder.push(delta({ content: "a" }))
    expect(decoder.end()).toEqual([])
    expect(decoder.finished).toBe(false)
    expect(OPENAI_CHAT.decodeEvents().finished).toBe(false)
  })

  test("[DONE] ends choices that no one ended", () => {
    expect(changes(delta({ content: "a" }), DONE).at(-1)).toEqual({
      type: "finish",
      choice: 0,
      reason: "other",
    })
    const call = { index: 0, id: "a", function: { name: "f" } }
    expect(changes(calls(call), DONE).at(-1)).toMatchObject({ reason: "tool-calls" })
  })

  test.each([
    ["length", "length", undefined],
    ["content_filter", "content-filter", undefined],
    ["model_length", "length", "model_length"],
    ["sensitive", "content-filter", "sensitive"],
    ["model_context_window_exceeded", "length", "model_context_window_exceeded"],
    ["strange", "other", "strange"],
  ])("finish %s", (word, reason, rawReason) => {
    const expected = { type: "finish", choice: 0, reason }
    const [event] = changes(finish(word))
    expect(event).toEqual((rawReason ? { ...expected, rawReason } : expected) as ChatEvent)
  })

  test.each([
    "error",
    "ERROR",
    "network_error",
    "insufficient_system_resource",
    "abort",
    "cancelled",
    "malformed_function_call",
  ])("finish %s is a failed generation", (word) => {
    expect(changes(finish(word))).toMatchObject([{ type: "error", code: word }])
    const choice = { message: { content: "part" }, finish_reason: word }
    expect(() => OPENAI_CHAT.decodeResult({ choices: [choice] })).toThrow("failed while it wrote")
  })

  test("an error in a choice is the vendor's failure, by its own code", () => {
    const error = { code: 429, message: "slow down" }
    const choice = { index: 0, message: { content: "part" }, finish_reason: "error", error }
    expect(() => OPENAI_CHAT.decodeResult({ choices: [choice] })).toThrow("overloaded")
    const frame = chunk({ index: 0, delta: {}, finish_reason: "error", error })
    expect(changes(frame)).toMatchObject([{ type: "error", code: "429" }])
  })

  test("the word of the provider behind OpenRouter tells of a failure", () => {
    const choice = { message: { content: "" }, finish_reason: "stop" }
    const failed = { ...choice, native_finish_reason: "network_error" }
    expect(() => OPENAI_CHAT.decodeResult({ choices: [failed] })).toThrow("failed while it wrote")
    const stopped = { ...choice, native_finish_reason: "end_turn" }
    expect(OPENAI_CHAT.decodeResult({ choices: [stopped] }).choices[0]?.finish).toBe("stop")
  })
})
