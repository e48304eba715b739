import { expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../src/canon/chat.ts"
import type { SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { COHERE_CHAT } from "../../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const frame = (json: Readonly<Record<string, unknown>>): SseFrame => ({
  data: JSON.stringify(json),
  ...(typeof json["type"] === "string" && { event: json["type"] }),
})

/** A complete stream of each format with the text "Hi". */
const STREAMS: readonly (readonly [UpstreamDialect, readonly SseFrame[]])[] = [
  [
    ANTHROPIC_MESSAGES,
    [
      frame({ type: "message_start", message: { id: "msg_1", usage: { input_tokens: 3 } } }),
      frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } }),
      frame({ type: "content_block_stop", index: 0 }),
      frame({
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 0, output_tokens: 1 },
      }),
      frame({ type: "message_stop" }),
    ],
  ],
  [
    GEMINI,
    [
      frame({
        candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 },
      }),
    ],
  ],
  [
    OPENAI_CHAT,
    [
      frame({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] }),
      frame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
    ],
  ],
  [
    OPENAI_RESPONSES,
    [
      frame({
        type: "response.completed",
        response: {
          id: "resp_1",
          status: "completed",
          output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
          usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
        },
      }),
    ],
  ],
  [
    COHERE_CHAT,
    [
      frame({ type: "content-delta", index: 0, delta: { message: { content: { text: "Hi" } } } }),
      frame({
        type: "message-end",
        delta: {
          finish_reason: "COMPLETE",
          usage: { tokens: { input_tokens: 3, output_tokens: 1 } },
        },
      }),
    ],
  ],
]

function eventsOf(dialect: UpstreamDialect, frames: readonly SseFrame[]): ChatEvent[] {
  const decoder = dialect.decodeEvents(REQUEST)
  return [...frames.flatMap((each) => decoder.push(each)), ...decoder.end()]
}

for (const [dialect, frames] of STREAMS) {
  test.each(["[DONE]", "[DONE] ", " [DONE]"])(
    `${dialect.id} ignores '%s' after a complete response`,
    (data) => {
      const events = eventsOf(dialect, frames)
      expect(events.some(({ type }) => type === "finish")).toBe(true)
      expect(eventsOf(dialect, [...frames, { data }])).toEqual(events)
      expect(eventsOf(dialect, [...frames, { data, event: "data" }])).toEqual(events)
    },
  )
}

test("a zero in the last usage event does not replace the input tokens of the first event", () => {
  const [anthropic, frames] = STREAMS[0] ?? []
  if (anthropic === undefined || frames === undefined) throw new Error("there is no stream")
  const usage = eventsOf(anthropic, frames).findLast((event) => event.type === "usage")
  expect(usage).toMatchObject({ usage: { inputFresh: 3, output: 1 } })
})
