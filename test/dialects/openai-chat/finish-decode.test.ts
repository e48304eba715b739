import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
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
    expect(decode({ data: JSON.stringify(body) })).toEqual([
      { type: "error", message: "sorry", code },
    ])
  })

  test("named by the event", () => {
    const data = JSON.stringify({ message: "sorry" })
    expect(decode({ event: "error", data })).toEqual([{ type: "error", message: "sorry" }])
    expect(decode({ event: "error", data: "sorry" })).toEqual([{ type: "error", message: "sorry" }])
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
    ["error", "other", "error"],
  ])("finish %s", (word, reason, rawReason) => {
    const expected = { type: "finish", choice: 0, reason }
    const [event] = changes(finish(word))
    expect(event).toEqual((rawReason ? { ...expected, rawReason } : expected) as ChatEvent)
  })
})
