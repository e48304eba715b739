import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { DONE, chunk, delta, calls, finish, decode, changes } from "./decoded-events.ts"

describe("the OpenAI decoder of empty frames", () => {
  test.each([
    ['{"type":"keepalive"}'],
    ['{"type":"ping"}'],
    ["{}"],
    [""],
    ['{"choices":null}'],
    ['{"choices":[null]}'],
  ])("returns no events: %s", (data) => {
    expect(changes({ data })).toEqual([])
  })

  test("accepts a first chunk without an id, as Azure sends it", () => {
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

  test("skips a choice without a delta or a finish reason", () => {
    expect(changes(chunk({ index: 0 }), chunk({ delta: { content: "a" } }))).toEqual([
      { type: "text-delta", choice: 0, text: "a" },
    ])
  })

  test("ignores a cumulative message if the choice also has a delta", () => {
    const choice = { index: 0, delta: { content: "a" }, message: { content: "a" } }
    expect(changes(chunk(choice))).toHaveLength(1)
  })
})

describe("the OpenAI decoder of usage", () => {
  test("reads the usage field of every vendor completely", () => {
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

  test("reads usage inside the only choice of a chunk", () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2 }
    const ended = { index: 0, delta: {}, finish_reason: "stop", usage }
    const events = changes(chunk({ index: 0, delta: { content: "a" } }), chunk(ended))
    expect(events).toMatchObject([
      { type: "text-delta" },
      { type: "finish" },
      { type: "usage", usage: { inputFresh: 5, output: 2 } },
    ])
  })

  test("ignores usage inside one of several choices", () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2 }
    const events = changes(
      chunk({ index: 0, delta: { content: "a" } }),
      chunk({ index: 1, delta: { content: "b" } }),
      chunk({ index: 0, delta: {}, finish_reason: "stop", usage }),
      chunk({ index: 1, delta: {}, finish_reason: "stop", usage }),
    )
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "text-delta", "finish", "finish"])
  })

  test("treats null like a missing field", () => {
    expect(changes(chunk({ index: 0, delta: {} }, { usage: null, x_groq: null }))).toEqual([])
  })
})

describe("the OpenAI decoder of errors after status 200", () => {
  test.each([
    ["OpenAI", { error: { message: "sorry", type: "server_error", code: null } }, "server_error"],
    ["OpenRouter", { choices: [], error: { code: 502, message: "sorry" } }, "502"],
    ["xAI", { code: "invalid-argument", error: "sorry" }, "invalid-argument"],
  ])("reads an error in the format of %s", (_, body, code) => {
    expect(decode({ data: JSON.stringify(body) })).toEqual([errorEvent({ message: "sorry", code })])
  })

  test("recognizes an error by the name of its event", () => {
    const data = JSON.stringify({ message: "sorry" })
    expect(decode({ event: "error", data })).toEqual([errorEvent({ message: "sorry" })])
    expect(decode({ event: "error", data: "sorry" })).toEqual([errorEvent({ message: "sorry" })])
  })

  test("reports invalid JSON in a frame as an error", () => {
    for (const data of ["{", "<html>", "[]", "null", '"text"']) {
      expect(() => decode({ data })).toThrow(GatewayError)
    }
  })
})

describe("the OpenAI decoder at the end of a response", () => {
  test("completes a stream without [DONE] when all choices have ended", () => {
    const decoder = OPENAI_CHAT.decodeEvents()
    decoder.push(delta({ content: "a" }))
    decoder.push(finish("stop"))
    decoder.end()
    expect(decoder.finished).toBe(true)
  })

  test("does not finish if the stream breaks", () => {
    const decoder = OPENAI_CHAT.decodeEvents()
    decoder.push(delta({ content: "a" }))
    expect(decoder.end()).toEqual([])
    expect(decoder.finished).toBe(false)
    expect(OPENAI_CHAT.decodeEvents().finished).toBe(false)
  })

  test("ends unfinished choices at the [DONE] frame", () => {
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
  ])("maps the finish reason %s", (word, reason, rawReason) => {
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
  ])("treats the finish reason %s as a failed generation", (word) => {
    expect(changes(finish(word))).toMatchObject([{ type: "error", code: word }])
    const choice = { message: { content: "part" }, finish_reason: word }
    expect(() => OPENAI_CHAT.decodeResult({ choices: [choice] })).toThrow("failed while it wrote")
  })

  test("reports an error in a choice as a vendor failure with the error's code", () => {
    const error = { code: 429, message: "slow down" }
    const choice = { index: 0, message: { content: "part" }, finish_reason: "error", error }
    expect(() => OPENAI_CHAT.decodeResult({ choices: [choice] })).toThrow("overloaded")
    const frame = chunk({ index: 0, delta: {}, finish_reason: "error", error })
    expect(changes(frame)).toMatchObject([{ type: "error", code: "429" }])
  })

  test("reports a failure of the provider behind OpenRouter", () => {
    const choice = { message: { content: "" }, finish_reason: "stop" }
    const failed = { ...choice, native_finish_reason: "network_error" }
    expect(() => OPENAI_CHAT.decodeResult({ choices: [failed] })).toThrow("failed while it wrote")
    const stopped = { ...choice, native_finish_reason: "end_turn" }
    expect(OPENAI_CHAT.decodeResult({ choices: [stopped] }).choices[0]?.finish).toBe("stop")
  })
})
