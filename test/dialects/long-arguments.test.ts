import { describe, expect, spyOn, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { jsonBytesInSlices } from "../../src/canon/sliced-json-text.ts"
import { UPSTREAMS } from "../golden/dialects.ts"
import { TurnCounter } from "../support/turn-counter.ts"

/** Maximum number of characters that are parsed in one turn of the event loop. */
const MAX_PARSED = 2 * 256 * 1024
const TEXT_COUNT = 600
/** Texts of objects that together have twice as many characters as may be parsed in one turn. */
const TEXTS = Array.from(
  { length: TEXT_COUNT },
  (_, index) => `{"number ${index}":[${"{},".repeat(500)}12345678901234567]}`,
)

function requestWith(inputs: readonly string[], results: readonly string[]): ChatRequest {
  const calls = inputs.map((text, index) => ({
    type: "tool-call" as const,
    id: `call_${index}`,
    name: "run",
    arguments: text,
  }))
  const responses = results.map((text, index) => ({
    type: "tool-result" as const,
    id: `call_${index}`,
    content: [{ type: "text" as const, text }],
  }))
  return {
    model: "m",
    messages: [
      { role: "user", parts: [{ type: "text", text: "x" }] },
      { role: "assistant", parts: calls },
      { role: "tool", parts: responses },
    ],
    tools: [{ name: "run", parameters: { type: "object" } }],
    stream: false,
    streamUsage: false,
    choices: 1,
  }
}

/** Returns the maximum number of characters that a function parses in one turn of the event loop. */
async function mostParsed(work: () => unknown): Promise<number> {
  const parsed = new Map<number, number>()
  using turns = new TurnCounter()
  const { parse } = JSON
  using _ = spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    parsed.set(turns.count, (parsed.get(turns.count) ?? 0) + text.length)
    return parse(text, reviver) as unknown
  })
  await work()
  return Math.max(0, ...parsed.values())
}

const NONE = TEXTS.map(() => "{}")

describe.each(UPSTREAMS)("the $id request encoder", (dialect) => {
  test.each([
    ["arguments", requestWith(TEXTS, NONE)],
    ["results", requestWith(NONE, TEXTS)],
  ])("limits the parses of long %s per event-loop turn", async (_, request) => {
    let body: JsonObject = {}
    const encoding = await mostParsed(() => (body = dialect.encodeRequest(request).body))
    expect(encoding).toBeLessThan(MAX_PARSED)
    let written: Uint8Array = new Uint8Array()
    const writing = await mostParsed(async () => (written = await jsonBytesInSlices(body)))
    expect(writing).toBeLessThan(MAX_PARSED)
    const text = Buffer.from(written).toString()
    expect(text).toBe(JSON.stringify(body))
    expect(text).toMatch(/number 0\\?":\[.*number 599\\?":\[\{\},/)
  })
})

test("request encoders wrap tool arguments in an object if they are not an object", () => {
  const others = ["[1]", '{"a":', '{"a":1}', `{"a":[${"1,".repeat(250_000)}1]}`]
  for (const dialect of UPSTREAMS) {
    const request = (inputs: readonly string[]): string =>
      JSON.stringify(dialect.encodeRequest(requestWith(inputs, [])).body)
    const [first, last] = [request(others), request([...TEXTS, ...others])].map((text) =>
      others.map((other) => text.includes(`{"arguments":${JSON.stringify(other)}}`)),
    )
    expect(last).toEqual(first ?? [])
  }
})
