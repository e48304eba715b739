import { describe, expect, test } from "bun:test"
import Anthropic, { APIError } from "@anthropic-ai/sdk"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import {
  anthropicRecordings,
  decodeStream,
  fixturesIn,
  framesOf,
  framesOfLines,
  readingOf,
  readingOfMessage,
} from "./fixtures.ts"

const REQUEST: ChatRequest = {
  model: "a/b",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}

function textOf(frames: readonly SseFrame[]): string {
  return frames.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join("")
}

function clientOf(status: number, type: string, body: string): Anthropic {
  const headers = { "content-type": type }
  const response = () => Promise.resolve(new Response(body, { status, headers }))
  return new Anthropic({ apiKey: "key", maxRetries: 0, fetch: response })
}

/** Returns the message that the official client reads from the frames. */
function readByClient(frames: readonly SseFrame[]): Promise<Anthropic.Message> {
  const client = clientOf(200, "text/event-stream", textOf(frames))
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hi" }]
  return client.messages.stream({ model: "a/b", max_tokens: 100, messages }).finalMessage()
}

function encode(events: readonly ChatEvent[]): SseFrame[] {
  const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

describe("the official Anthropic client", () => {
  test("reads thinking, text, parallel calls, a call without arguments, and usage from a stream", async () => {
    const message = await readByClient(
      encode([
        { type: "start", id: "msg_1", model: "m" },
        { type: "reasoning-delta", choice: 0, text: "Let me " },
        { type: "reasoning-delta", choice: 0, text: "think." },
        { type: "reasoning-signature", choice: 0, signature: "c2ln", signedBy: "gemini" },
        { type: "text-delta", choice: 0, text: "Hel" },
        { type: "text-delta", choice: 0, text: "lo" },
        { type: "tool-call-start", choice: 0, call: 0, id: "call_a", name: "weather" },
        { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"city":' },
        { type: "tool-call-start", choice: 0, call: 1, id: "call_b", name: "time" },
        { type: "tool-call-delta", choice: 0, call: 0, arguments: '"Paris"}' },
        { type: "finish", choice: 0, reason: "tool-calls" },
        { type: "usage", usage: { ...NO_USAGE, inputFresh: 7, inputCacheRead: 3, output: 9 } },
      ]),
    )
    expect(message).toMatchObject({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "thinking", thinking: "Let me think.", signature: "c2ln" },
        { type: "text", text: "Hello" },
        { type: "tool_use", id: "call_a", name: "weather", input: { city: "Paris" } },
        { type: "tool_use", id: "call_b", name: "time", input: {} },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
    })
    expect(message.usage).toMatchObject({
      input_tokens: 7,
      cache_read_input_tokens: 3,
      output_tokens: 9,
    })
  })

  test("throws on an error event", async () => {
    const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
    const error = new GatewayError("upstream_overloaded", "The provider is overloaded.")
    const frames = [
      ...encoder.push({ type: "start", id: "msg_1" }),
      ...encoder.push({ type: "text-delta", choice: 0, text: "a" }),
      ...encoder.fail(error, "request-1"),
    ]
    const thrown = await readByClient(frames).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(APIError)
    expect((thrown as APIError).error).toMatchObject({
      type: "error",
      error: { type: "overloaded_error", error_type: "upstream_overloaded" },
      request_id: "request-1",
    })
  })

  test("throws on an error response", async () => {
    const error = new GatewayError("insufficient_credits", "No credits.", {
      fields: { balance: "0", required: "0.1" },
    })
    const { status, body } = ANTHROPIC_MESSAGES.encodeError(error, "request-1")
    const client = clientOf(status, "application/json", JSON.stringify(body))
    const thrown = await client.messages
      .create({ model: "m", max_tokens: 1, messages: [] })
      .then(undefined, (reason: unknown) => reason as APIError)
    expect(thrown).toMatchObject({ status: 402, type: "billing_error" })
  })
})

describe(`the official Anthropic client on translated recordings${WITHOUT_FIXTURES}`, () => {
  const streams = anthropicRecordings()
    .filter(({ response }) => typeof response === "string")
    .map(({ file, response }) => ({ file, frames: framesOf(String(response)) }))
  const lines = fixturesIn("vercel-ai/anthropic/", ".chunks.txt").map((file) => ({
    file,
    frames: framesOfLines(readFixture(file)),
  }))

  for (const { file, frames } of [...streams, ...lines]) {
    test(`reads the same content and usage: ${file}`, async () => {
      const last = frames.findIndex(({ data }) => data.includes('"message_stop"'))
      const events = decodeStream(frames.slice(0, last + 1))
      const folded = foldEvents(events)
      const message = await readByClient(encode(events))
      expect(readingOfMessage(message as unknown as JsonObject)).toEqual(readingOf(folded))
      expect(message.usage.output_tokens).toBe(folded.usage?.output ?? 0)
      expect(message.usage.input_tokens).toBe(folded.usage?.inputFresh ?? 0)
      expect(message.content.every(({ type }) => typeof type === "string")).toBe(true)
    })
  }
})
