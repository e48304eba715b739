import type { ChatEvent } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

export const DONE: SseFrame = { data: "[DONE]" }

export function chunk(choice: JsonObject, more: JsonObject = {}): SseFrame {
  const whole = { id: "chatcmpl-1", created: 5, model: "m", choices: [choice], ...more }
  return { data: JSON.stringify(whole) }
}

export function delta(fields: JsonObject, more: JsonObject = {}): SseFrame {
  return chunk({ index: 0, delta: fields, finish_reason: null, ...more })
}

export function calls(...toolCalls: JsonValue[]): SseFrame {
  return delta({ tool_calls: toolCalls })
}

export function finish(reason: string): SseFrame {
  return chunk({ index: 0, delta: {}, finish_reason: reason })
}

export function decode(...frames: SseFrame[]): ChatEvent[] {
  const decoder = OPENAI_CHAT.decodeEvents()
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

/** Returns the events without the start, which every stream has. */
export function changes(...frames: SseFrame[]): ChatEvent[] {
  return decode(...frames).filter(({ type }) => type !== "start")
}
