import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

export const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}

export const START: ChatEvent = { type: "start", id: "msg_1", model: "m" }

export const FINISH: ChatEvent = { type: "finish", choice: 0, reason: "stop" }

export function encode(events: readonly ChatEvent[]): SseFrame[] {
  const encoder = ANTHROPIC_MESSAGES.encodeEvents(REQUEST)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

export function eventsOf(frames: readonly SseFrame[]): JsonObject[] {
  return frames.map(({ data }) => JSON.parse(data))
}

export function text(value: string): ChatEvent {
  return { type: "text-delta", choice: 0, text: value }
}
