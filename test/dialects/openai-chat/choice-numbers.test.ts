import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const REQUEST = { model: "m", messages: [], stream: true, streamUsage: true, choices: 1 }

function response(indexes: readonly number[]): JsonObject {
  const choices = indexes.map((index) => ({
    index,
    message: { role: "assistant", content: `${index}` },
    finish_reason: "stop",
  }))
  return { choices, created: 1_762_345_678_901 }
}

describe("the choices of a response without streaming", () => {
  test.each([
    [[1], [0]],
    [[7], [0]],
    [
      [0, 0],
      [0, 1],
    ],
    [
      [1, 0],
      [0, 1],
    ],
    [
      [0, 2],
      [0, 1],
    ],
  ])("receive the indexes of their positions: %p becomes %p", (given, expected) => {
    const decoded = OPENAI_CHAT.decodeResult(response(given))
    expect(decoded.choices.map(({ index }) => index)).toEqual(expected)
    const body = response(given)
    OPENAI_CHAT.patches.result(body, { model: "p/m", streamUsage: true })
    expect(body["choices"]).toMatchObject(expected.map((index) => ({ index })))
    // Times in this format are in seconds and not in milliseconds.
    expect(body["created"]).toBeLessThan(100_000_000_000)
  })
})

test("the OpenAI decoder and patcher give the only requested choice of a stream index 0", () => {
  const decoder = OPENAI_CHAT.decodeEvents(REQUEST)
  const choice = { index: 1, delta: { content: "Hi" }, finish_reason: "stop" }
  const json = { id: "c", choices: [choice] }
  const events = decoder.push({ data: JSON.stringify(json), json })
  expect(events).toContainEqual({ type: "text-delta", choice: 0, text: "Hi" })
  const indexOf = (choices: number): unknown => {
    const patcher = OPENAI_CHAT.patches.frames({ model: "p/m", streamUsage: false, choices })
    return JSON.parse(patcher.push({ data: JSON.stringify(json), json }).data).choices[0].index
  }
  expect([1, 2].map(indexOf)).toEqual([0, 1])
})
