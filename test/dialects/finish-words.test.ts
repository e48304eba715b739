import { expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { CLIENTS } from "../golden/dialects.ts"

const PATCH = { model: "p/m", streamUsage: true }
const REQUEST = { model: "m", messages: [], stream: false, streamUsage: true, choices: 1 }

const chat = (): JsonObject => ({
  choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "tool_calls" }],
})
const message = (stop_reason: string): JsonObject => ({
  content: [{ type: "text", text: "Hi" }],
  stop_reason,
})

test.each([...CLIENTS])(
  "$id callers receive a normal finish reason if the vendor reports the finish reason for tool calls without any call",
  (client) => {
    for (const result of [
      OPENAI_CHAT.decodeResult(chat()),
      ANTHROPIC_MESSAGES.decodeResult(message("tool_use")),
    ]) {
      expect(result.choices[0]?.finish).toBe("stop")
      const text = JSON.stringify(client.encodeResult(result, REQUEST))
      expect(text).not.toMatch(/"tool_calls"|"tool_use"/)
    }
  },
)

test.each([
  ["stop", "end_turn"],
  ["eos", "end_turn"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
  ["max_tokens", "max_tokens"],
  ["tomorrows_word", "tomorrows_word"],
])(
  "the Anthropic patcher changes the stop reason '%s' to '%s' with and without streaming",
  (word, expected) => {
    const body = message(word)
    ANTHROPIC_MESSAGES.patches.result(body, PATCH)
    expect(body["stop_reason"]).toBe(expected)
    const json = {
      type: "message_delta",
      delta: { stop_reason: word },
      usage: { output_tokens: 1 },
    }
    const { usageCarrier } = ANTHROPIC_MESSAGES.patches
      .frames(PATCH)
      .push({ event: "message_delta", data: JSON.stringify(json), json })
    expect(usageCarrier).toMatchObject({ delta: { stop_reason: expected } })
  },
)

test("the OpenAI stream encoder uses a single id even if the start event arrives late", () => {
  const encoder = OPENAI_CHAT.encodeEvents({ ...REQUEST, stream: true })
  const frames = [
    ...encoder.push({ type: "text-delta", choice: 0, text: "Hi" }),
    ...encoder.push({ type: "start" }),
    ...encoder.push({ type: "finish", choice: 0, reason: "stop" }),
  ]
  const ids = frames.map(({ data }) => (JSON.parse(data) as { id: string }).id)
  expect(new Set(ids).size).toBe(1)
})
