import { afterAll, beforeAll, expect, test } from "bun:test"
import { FittedWorld, FORMATS } from "./fitted-world.ts"

let world: FittedWorld

beforeAll(async () => {
  world = await FittedWorld.start({ "m/local": ["vllm", "qwen"] })
})

afterAll(() => world[Symbol.asyncDispose]())

const start = (index: number) => ({
  tool_calls: [
    { index, id: `c${index}`, type: "function", function: { name: `f${index}`, arguments: "" } },
  ],
})
const more = (index: number, text: string) => ({
  tool_calls: [{ index, function: { arguments: text } }],
})

const CASES: readonly (readonly [string, readonly object[], readonly object[], string])[] = [
  [
    "text in the middle of arguments",
    [start(0), more(0, '{"a":'), { content: "So" }, more(0, '"x"}'), { content: "." }],
    [{ name: "f0", arguments: { a: "x" } }],
    "So.",
  ],
  [
    "reasoning in the middle of arguments",
    [start(0), more(0, '{"a":'), { reasoning_content: "Hm" }, more(0, '"x"}')],
    [{ name: "f0", arguments: { a: "x" } }],
    "",
  ],
  [
    "text before any arguments, and another call",
    [start(0), { content: "So" }, more(0, '{"a":1}'), start(1), more(1, '{"b":'), more(1, "2}")],
    [
      { name: "f0", arguments: { a: 1 } },
      { name: "f1", arguments: { b: 2 } },
    ],
    "So",
  ],
  [
    "text between two calls with joined arguments",
    [start(0), start(1), more(0, '{"a":'), { content: "So" }, more(1, '{"b":2}'), more(0, "1}")],
    [
      { name: "f0", arguments: { a: 1 } },
      { name: "f1", arguments: { b: 2 } },
    ],
    "So",
  ],
]

for (const format of FORMATS) {
  test.each(CASES)(
    `callers of ${format} receive complete tool arguments even if other deltas interrupt them: %s`,
    async (_, deltas, calls, text) => {
      world.script = { deltas }
      const response = await world.ask(
        format,
        "m/local",
        { tools: [{ name: "f0" }, { name: "f1" }] },
        { stream: true },
      )
      expect(response.calls).toEqual(calls as never)
      if (format !== "gemini" || text !== "") expect(response.text).toBe(text)
    },
  )
}
