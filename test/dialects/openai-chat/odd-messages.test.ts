import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const CALL = {
  id: "call_1",
  type: "function",
  custom: { name: "", input: "" },
  function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
}
const EMPTY = { name: "", arguments: "" }

/** Returns the parts of a message that is not streamed, and of the same message as a stream. */
function partsOf(message: JsonObject, finish: string) {
  const whole = OPENAI_CHAT.decodeResult({
    choices: [{ index: 0, message, finish_reason: finish }],
  })
  const { tool_calls: calls } = message
  const delta = Array.isArray(calls)
    ? { ...message, tool_calls: calls.map((call, index) => ({ index, ...(call as JsonObject) })) }
    : message
  const decoder = OPENAI_CHAT.decodeEvents()
  const data = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const streamed = foldEvents([
    ...decoder.push({ data }),
    ...decoder.push({ data: "[DONE]" }),
    ...decoder.end(),
  ])
  expect(streamed.choices[0]?.parts).toEqual(whole.choices[0]?.parts)
  expect(streamed.choices[0]?.finish).toBe(whole.choices[0]?.finish)
  return { parts: whole.choices[0]?.parts, finish: whole.choices[0]?.finish }
}

describe("the OpenAI decoder for a server that sends every optional member", () => {
  test("ignores an empty function_call", () => {
    const message = { role: "assistant", content: "4", function_call: EMPTY, tool_calls: null }
    expect(partsOf(message, "stop")).toEqual({
      parts: [{ type: "text", text: "4" }],
      finish: "stop",
    })
  })

  test("reads a function call that also has an empty custom tool call", () => {
    const message = { role: "assistant", content: "", function_call: EMPTY, tool_calls: [CALL] }
    expect(partsOf(message, "tool_calls")).toEqual({
      parts: [
        { type: "tool-call", id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
      ],
      finish: "tool-calls",
    })
  })

  test("writes empty content if a message contains only an empty call", () => {
    const body: JsonObject = {
      choices: [{ message: { content: null, function_call: EMPTY }, finish_reason: "stop" }],
    }
    OPENAI_CHAT.patches.result(body, { model: "m", streamUsage: true })
    expect(body).toMatchObject({ choices: [{ message: { content: "" } }] })
  })
})

test("the OpenAI decoder serializes content that is an object", () => {
  const message = { role: "assistant", content: { title: "Oslo", year: 1048 } }
  const text = '{"title":"Oslo","year":1048}'
  expect(partsOf(message, "stop").parts).toEqual([{ type: "text", text }])
  const body: JsonObject = { choices: [{ message, finish_reason: "stop" }] }
  OPENAI_CHAT.patches.result(body, { model: "m", streamUsage: true })
  expect(body).toMatchObject({ choices: [{ message: { content: text } }] })
})
