import { expect, test } from "bun:test"
import fc from "fast-check"
import type { ToolCallPart } from "../../../src/canon/message.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { assistant, decoded, encoded, framesFrom, requestOf, text, user } from "./fixtures.ts"

const NAMES = ["get_weather", "get-weather", "get.weather", "2nd_weather", "mcp__server__do-it"]

interface Called {
  readonly function: { readonly name: string }
}

function offered(names: readonly string[]) {
  return requestOf({ tools: names.map((name) => ({ name })) })
}

function fitted(names: readonly string[]): string[] {
  return (encoded(offered(names)).body.tools as unknown as Called[]).map(
    (tool) => tool.function.name,
  )
}

test("names that Cohere refuses become others, no two of them the same", () => {
  const names = fitted(NAMES)
  expect(names[0]).toBe("get_weather")
  expect(new Set(names).size).toBe(NAMES.length)
  for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
  expect(encoded(offered(NAMES)).losses).toEqual([])
})

test("calls of earlier turns are named as the tools are", () => {
  const call: ToolCallPart = { type: "tool-call", id: "1", name: "get-weather", arguments: "{}" }
  const { body } = encoded({ ...offered(NAMES), messages: [user(text("?")), assistant(call)] })
  expect(body.messages).toMatchObject([
    {},
    { tool_calls: [{ function: { name: fitted(NAMES)[1] } }] },
  ])
})

test("the caller reads the names that they gave, whole and streamed", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
      (names) => {
        const request = offered(names)
        const calls = fitted(names).map((name, index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name, arguments: "{}" },
        }))
        const message = { role: "assistant", tool_calls: calls }
        const whole = COHERE_CHAT.decodeResult({ message, finish_reason: "TOOL_CALL" }, request)
        const frames = framesFrom(
          ...calls.map((tool_calls, index) => ({
            type: "tool-call-start",
            index,
            delta: { message: { tool_calls } },
          })),
          { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
        )
        const streamed = foldEvents(decoded(frames, request).events)
        for (const { choices } of [whole, streamed]) {
          const parts = choices[0]?.parts ?? []
          expect(parts.map((part) => part.type === "tool-call" && part.name)).toEqual(names)
        }
      },
    ),
  )
})
