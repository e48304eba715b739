import type { FinishReason } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import { type Finish, otherFinish } from "../shared/finish.ts"

/** Words for a filter (`FinishReason` of @google/genai; the last was recorded on Vertex). */
const FILTERS: ReadonlySet<string> = new Set([
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "IMAGE_OTHER",
  "MODEL_ARMOR",
  // A language that the model does not support.
  "LANGUAGE",
])

/**
 * Words for calls that the caller did not offer, or too many of them (`FinishReason` of @google/genai). If a call was
 * included nevertheless, it ended the answer: callers read calls only if the finish reason names them.
 */
const CALLS: ReadonlySet<string> = new Set(["UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])

/** Words for a generation that failed. */
const FAILURES: ReadonlySet<string> = new Set([
  ...CALLS,
  "OTHER",
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "MISSING_THOUGHT_SIGNATURE",
])

/** A text in place of an image: the text is an answer. */
const OTHERS: ReadonlySet<string> = new Set(["NO_IMAGE"])

/** The end of an answer, from any dialect. */
export interface Ending {
  readonly reason: FinishReason
  readonly raw?: string | undefined
}

/** The word of this dialect; the vendor's own if it belongs to this dialect and agrees. */
export function encodeFinish({ reason, raw = "" }: Ending): string {
  switch (reason) {
    case "stop":
    case "tool-calls":
      return "STOP"
    case "length":
      return "MAX_TOKENS"
    case "content-filter":
      return FILTERS.has(raw) ? raw : "SAFETY"
    case "other":
      return OTHERS.has(raw) ? raw : "OTHER"
  }
}

/**
 * Returns the reason for a candidate's end (docs/contribute/wire/gemini.md#f7). Gemini has no word for calls: it "stops" with
 * them.
 */
export function decodeFinish(word: string | undefined, hasToolCalls: boolean): Finish {
  if (word === undefined) return otherFinish(word)
  if (word === "STOP") return { reason: hasToolCalls ? "tool-calls" : "stop" }
  if (word === "MAX_TOKENS") return { reason: "length" }
  if (hasToolCalls && CALLS.has(word)) return { reason: "tool-calls", raw: word }
  if (FILTERS.has(word)) return { reason: "content-filter", raw: word }
  return FAILURES.has(word) ? { reason: "failed", raw: word } : otherFinish(word)
}

/** Returns the vendor's word, as text even if numbers were requested; absent while the candidate continues. */
export function finishWord({ finishReason }: JsonObject): string | undefined {
  if (finishReason === undefined || finishReason === null) return undefined
  return typeof finishReason === "string" ? finishReason : JSON.stringify(finishReason)
}
