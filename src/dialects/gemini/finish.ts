import type { FinishReason } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import { type Finish, otherFinish } from "../shared/finish.ts"

/** Finish reasons of a filter (`FinishReason` of @google/genai). The last one was recorded on Vertex. */
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
  // The model does not support the language.
  "LANGUAGE",
])

/**
 * Finish reasons for calls that the caller did not allow, or for too many calls (`FinishReason` of @google/genai). If
 * the response still contains a call, the reason becomes `tool-calls`, because callers read calls only with that
 * reason.
 */
const CALLS: ReadonlySet<string> = new Set(["UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])

/** Finish reasons of a failed generation. */
const FAILURES: ReadonlySet<string> = new Set([
  ...CALLS,
  "OTHER",
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "MISSING_THOUGHT_SIGNATURE",
])

/** Finish reason of a response with a text in place of an image. The text is a response. */
const OTHERS: ReadonlySet<string> = new Set(["NO_IMAGE"])

/** The facts about how a response ended, from any dialect. */
export interface Ending {
  readonly reason: FinishReason
  readonly raw?: string | undefined
}

/**
 * Returns the finish reason in this dialect. The vendor's own reason is used if it exists in this dialect and agrees
 * with the canon's reason.
 */
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
 * Returns the reason why a candidate ended (docs/contribute/wire/gemini.md#f7). Gemini has no finish reason for calls
 * and sends `STOP`.
 */
export function decodeFinish(word: string | undefined, hasToolCalls: boolean): Finish {
  if (word === undefined) return otherFinish(word)
  if (word === "STOP") return { reason: hasToolCalls ? "tool-calls" : "stop" }
  if (word === "MAX_TOKENS") return { reason: "length" }
  if (hasToolCalls && CALLS.has(word)) return { reason: "tool-calls", raw: word }
  if (FILTERS.has(word)) return { reason: "content-filter", raw: word }
  return FAILURES.has(word) ? { reason: "failed", raw: word } : otherFinish(word)
}

/**
 * Returns the vendor's finish reason as text, even if the caller requested enums as numbers; undefined while the
 * candidate continues.
 */
export function finishWord({ finishReason }: JsonObject): string | undefined {
  if (finishReason === undefined || finishReason === null) return undefined
  return typeof finishReason === "string" ? finishReason : JSON.stringify(finishReason)
}
