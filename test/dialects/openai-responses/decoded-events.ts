import type { ChatEvent } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { decodeStream } from "./support.ts"

export const RESPONSE = {
  id: "resp_1",
  created_at: 5,
  model: "gpt",
  status: "in_progress",
  output: [],
}

export const CREATED = { type: "response.created", response: RESPONSE }

export function completed(response: JsonObject = {}): JsonObject {
  return { type: "response.completed", response: { ...RESPONSE, status: "completed", ...response } }
}

export function frames(...events: JsonObject[]): SseFrame[] {
  return events.map((event) => ({ event: String(event.type), data: JSON.stringify(event) }))
}

export function decode(...events: JsonObject[]): ChatEvent[] {
  return decodeStream(frames(...events))
}

export function done(index: number, item: JsonObject): JsonObject {
  return { type: "response.output_item.done", output_index: index, item }
}

export function textDelta(delta: string, index = 0, content = 0): JsonObject {
  return { type: "response.output_text.delta", output_index: index, content_index: content, delta }
}

export function message(text: string, annotations: JsonObject[] = []): JsonObject {
  return { type: "message", id: "msg_1", content: [{ type: "output_text", text, annotations }] }
}

export const START: ChatEvent = { type: "start", id: "resp_1", model: "gpt", created: 5 }
