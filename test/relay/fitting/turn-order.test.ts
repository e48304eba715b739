import { expect, test } from "bun:test"
import type { Message } from "../../../src/canon/message.ts"
import { resultsAfterCalls } from "../../../src/relay/fitting/turn-order.ts"

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] })
const said = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] })
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "tool-call", id, name: "f", arguments: "{}" })),
})
const result = (...ids: string[]): Message => ({
  role: "tool",
  parts: ids.map((id) => ({ type: "tool-result", id, content: [] })),
})

test("a conversation with turns in the correct order is unchanged", () => {
  const messages = [user("a"), calls("1", "2"), result("1"), result("2"), said("b"), user("c")]
  expect(resultsAfterCalls(messages)).toBe(messages)
  const reused = [calls("1"), result("1"), calls("1"), result("1")]
  expect(resultsAfterCalls(reused)).toBe(reused)
  const parallel = [calls("1"), calls("2"), result("2"), result("1"), said("done")]
  expect(resultsAfterCalls(parallel)).toBe(parallel)
  const open = [user("a"), calls("1"), user("b")]
  expect(resultsAfterCalls(open)).toBe(open)
})

test.each([
  [
    "a user message between a call and its result",
    [calls("1"), user("mid"), result("1")],
    [calls("1"), result("1"), user("mid")],
  ],
  [
    "split results of parallel calls",
    [calls("1", "2"), result("1"), user("mid"), result("2")],
    [calls("1", "2"), result("1"), result("2"), user("mid")],
  ],
  [
    "results of calls in turns of their own",
    [calls("1"), calls("2"), user("mid"), result("1", "2")],
    [calls("1"), calls("2"), result("1"), result("2"), user("mid")],
  ],
  [
    "a repeated result",
    [calls("1"), result("1"), user("again"), result("1")],
    [calls("1"), result("1"), user("again")],
  ],
  [
    "a result without a call",
    [calls("1"), user("mid"), result("1"), result("x")],
    [calls("1"), result("1"), user("mid"), result("x")],
  ],
])("tool results are moved behind their calls: %s", (_, given, expected) => {
  expect(resultsAfterCalls(given)).toEqual(expected)
})
