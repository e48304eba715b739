import type { Extra } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import type { JsonObject } from "../../canon/json.ts"

export const DIALECT = "openai-chat"

/** Of an answer: chat completions are told by it. */
export const ID_PREFIX = "chatcmpl-"

/** The last word of a stream (WIRE.md 2). */
export const END: SseFrame = { data: "[DONE]" }

/** The fields of an extra of this dialect; what belongs to another stays out. */
export function ownFields(extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === DIALECT ? extra.fields : undefined
}

/** The fields as an extra of this dialect. */
export function extraOf(fields: JsonObject): Extra {
  return { dialect: DIALECT, fields }
}
