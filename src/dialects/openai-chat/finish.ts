import type { FinishReason } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { type Finish, isFailedWord, otherFinish } from "../shared/finish.ts"

const FINISH_REASONS: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["stop", { reason: "stop" }],
  ["length", { reason: "length" }],
  ["tool_calls", { reason: "tool-calls" }],
  ["content_filter", { reason: "content-filter" }],
  ["function_call", { reason: "tool-calls", raw: "function_call" }],
  // Finish reasons of compatible vendors: Mistral, and servers that pass on a model's own finish reason.
  ["model_length", { reason: "length", raw: "model_length" }],
  ["max_tokens", { reason: "length", raw: "max_tokens" }],
  ["eos", { reason: "stop", raw: "eos" }],
  ["eos_token", { reason: "stop", raw: "eos_token" }],
  ["end_turn", { reason: "stop", raw: "end_turn" }],
  ["model_context_window_exceeded", { reason: "length", raw: "model_context_window_exceeded" }],
  // Sent by the content filter of Z.ai.
  ["sensitive", { reason: "content-filter", raw: "sensitive" }],
])

/**
 * Returns the reason why a choice ended (docs/contribute/wire/openai-chat.md#f4 and docs/contribute/wire/README.md#f5).
 * If a choice with tool calls has the reason `stop`, the calls ended it. OpenAI sends `stop` if the caller forced a
 * tool.
 */
export function decodeFinish(word: string, hasToolCalls: boolean, native?: JsonValue): Finish {
  // OpenRouter sends `stop` for a response whose provider had failed (docs/contribute/wire/openai-chat.md#f4).
  if (typeof native === "string" && isFailedWord(native)) return otherFinish(native)
  // Servers that pass on a model's own finish reason may use capitals.
  const known = FINISH_REASONS.get(word) ?? FINISH_REASONS.get(word.toLowerCase())
  if (known === undefined) return otherFinish(word)
  const { reason, raw } = known
  if (reason === "stop" && hasToolCalls) return { reason: "tool-calls", raw: word }
  // With `tool_calls`, an agent would wait for calls that the response does not contain.
  if (reason === "tool-calls" && !hasToolCalls) return { reason: "stop", raw: word }
  if (reason === "failed" || raw !== undefined || word === encodeFinish(reason)) return known
  return { ...known, raw: word }
}

/**
 * Returns the stop sequence that ended a choice. vLLM names it in `stop_reason`, and SGLang in `matched_stop`. Both
 * members may also name a token, and other servers use them differently.
 * @param stop the requested stop sequences.
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
 * Returns the finish reason in this dialect, which has no equivalent of `other`.
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

/** OpenAI's finish reasons. The last two, for tools, are not in the specification. */
const OWN_WORDS: ReadonlySet<JsonValue | undefined> = new Set([
  "stop",
  "length",
  "content_filter",
  "tool_calls",
  "function_call",
])

/**
 * Returns the finish reason in this dialect.
 * @param word the vendor's finish reason, which may be missing or from another dialect.
 */
export function ownFinish(word: JsonValue | undefined, hasCalls: boolean): JsonValue {
  if (typeof word === "string" && OWN_WORDS.has(word)) return word
  if (typeof word !== "string" || word === "") return hasCalls ? "tool_calls" : "stop"
  const { reason } = decodeFinish(word, hasCalls)
  // The reason is null only in a frame that ends the stream with an error.
  return reason === "failed" ? null : encodeFinish(reason)
}
