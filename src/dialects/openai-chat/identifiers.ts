import type { SseFrame } from "../../canon/dialect.ts"

export const DIALECT = "openai-chat"

/** Of an answer: chat completions are told by it. */
export const ID_PREFIX = "chatcmpl-"

/** The last word of a stream (WIRE.md 2). */
export const END: SseFrame = { data: "[DONE]" }
