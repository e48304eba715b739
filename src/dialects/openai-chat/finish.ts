import type { FinishReason } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { type Finish, isFailedWord, otherFinish } from "../shared/finish.ts"

const FINISH_REASONS: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["stop", { reason: "stop" }],
  ["length", { reason: "length" }],
  ["tool_calls", { reason: "tool-calls" }],
  ["content_filter", { reason: "content-filter" }],
  ["function_call", { reason: "tool-calls", raw: "function_call" }],
  // Compatible vendors: Mistral, and servers that pass on a model's own word.
  ["model_length", { reason: "length", raw: "model_length" }],
  ["max_tokens", { reason: "length", raw: "max_tokens" }],
  ["eos", { reason: "stop", raw: "eos" }],
  ["eos_token", { reason: "stop", raw: "eos_token" }],
  ["end_turn", { reason: "stop", raw: "end_turn" }],
  ["model_context_window_exceeded", { reason: "length", raw: "model_context_window_exceeded" }],
  // Z.ai's filter.
  ["sensitive", { reason: "content-filter", raw: "sensitive" }],
])

/**
 * Returns the reason for a choice's end (docs/contribute/wire/openai-chat.md#f4 and docs/contribute/wire/README.md#f5). A choice with tool
 * calls that "stopped" was ended by them: OpenAI sends `stop` when the tool was forced.
 */
export function decodeFinish(word: string, hasToolCalls: boolean, native?: JsonValue): Finish {
  // OpenRouter ends an answer with `stop` whose provider had failed (docs/contribute/wire/openai-chat.md#f4).
  if (typeof native === "string" && isFailedWord(native)) return otherFinish(native)
  // Servers that pass on a model's own word may use capitals.
  const known = FINISH_REASONS.get(word) ?? FINISH_REASONS.get(word.toLowerCase())
  if (known === undefined) return otherFinish(word)
  const { reason, raw } = known
  if (reason === "stop" && hasToolCalls) return { reason: "tool-calls", raw: word }
  // An agent would wait for calls that are not there.
  if (reason === "tool-calls" && !hasToolCalls) return { reason: "stop", raw: word }
  if (reason === "failed" || raw !== undefined || word === encodeFinish(reason)) return known
  return { ...known, raw: word }
}

/**
 * The stop string that ended a choice, which vLLM names in `stop_reason` and SGLang in `matched_stop`; either
 * may also name a token, and other servers other things.
 * @param stop the requested strings.
 */
export function reportedStop(
  choice: JsonObject,
  stop: readonly string[] | undefined,
): string | undefined {
  if (stop === undefined) return undefined
  const stopped = choice.stop_reason ?? choice.matched_stop
  return typeof stopped === "string" && stop.includes(stopped) ? stopped : undefined
}

/**
 * Returns the word of this dialect, which lacks one for `other`.
 * @param isLegacy whether the call is in the older form.
 */
export function encodeFinish(reason: FinishReason, isLegacy = false): string {
  switch (reason) {
    case "tool-calls":
      return isLegacy ? "function_call" : "tool_calls"
    case "content-filter":
      return "content_filter"
    case "length":
      return "length"
    case "stop":
    case "other":
      return "stop"
  }
}

/** OpenAI's finish reasons; the two for tools go beyond the specification. */
const OWN_WORDS: ReadonlySet<JsonValue | undefined> = new Set([
  "stop",
  "length",
  "content_filter",
  "tool_calls",
  "function_call",
])

/**
 * Returns the finish reason in a word of this dialect.
 * @param word the vendor's, which may be of another dialect or missing.
 */
export function ownFinish(word: JsonValue | undefined, hasCalls: boolean): JsonValue {
  if (typeof word === "string" && OWN_WORDS.has(word)) return word
  if (typeof word !== "string" || word === "") return hasCalls ? "tool_calls" : "stop"
  const { reason } = decodeFinish(word, hasCalls)
  // Only in a frame that ends the stream with an error.
  return reason === "failed" ? null : encodeFinish(reason)
}
