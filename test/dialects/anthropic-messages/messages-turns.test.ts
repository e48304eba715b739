import { describe, expect, test } from "bun:test"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

/** The loss that is reported if the gateway adds a user turn to the conversation. */
const FILLED = "messages:approximated"

const USER: Message = { role: "user", parts: [{ type: "text", text: "Hi" }] }

function text(value: string): Part {
  return { type: "text", text: value }
}

function encode({ messages }: { messages: readonly Message[] }) {
  const { body, losses } = ANTHROPIC_MESSAGES.encodeRequest({
    model: "claude",
    messages,
    stream: false,
    streamUsage: false,
    choices: 1,
    maxTokens: 100,
  })
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

describe("the Anthropic encoder of a conversation with invalid turns", () => {
  const user = (...parts: Part[]): Message => ({ role: "user", parts })
  const assistant = (...parts: Part[]): Message => ({ role: "assistant", parts })
  const filler = { role: "user", content: "." }
  const hi = { role: "user", content: "Hi" }
  const yes = { role: "assistant", content: "Yes" }

  const cases: [string, Message[], JsonObject[]][] = [
    ["instructions only", [{ role: "system", parts: [text("A")] }], [filler]],
    ["an empty list of messages", [], [filler]],
    ["an empty question", [user(text(""))], [filler]],
    ["an empty answer", [assistant(text(""))], [filler]],
    ["white space", [user(text(" \n"))], [filler]],
    [
      "an empty question after instructions",
      [{ role: "developer", parts: [text("A")] }, user()],
      [filler],
    ],
    [
      "a conversation that starts with the assistant",
      [assistant(text("Yes")), USER],
      [filler, yes, hi],
    ],
    ["a prefilled answer only", [assistant(text("Yes"))], [filler, yes]],
    [
      "a conversation that ends with an empty question",
      [USER, assistant(text("Yes")), user(text(""))],
      [hi, yes, filler],
    ],
  ]
  for (const [name, messages, expected] of cases) {
    test(`adds a user turn for ${name} and reports a loss`, () => {
      const { body, losses } = encode({ messages })
      expect(body.messages).toEqual(expected)
      expect(losses).toEqual([FILLED])
    })
  }

  test("keeps a prefilled response last after it drops empty turns", () => {
    const { body, losses } = encode({ messages: [USER, user(text("")), assistant(text("Yes"))] })
    expect(body.messages).toEqual([hi, yes])
    expect(losses).toEqual([])
  })
})
