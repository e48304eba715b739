import type { FinishReason } from "../../canon/chat.ts"
import { type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import { type Finish, otherFinish } from "../shared/finish.ts"

/** Maps Anthropic's stop reasons to the canon's. */
const FINISH_REASONS: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["end_turn", { reason: "stop" }],
  ["max_tokens", { reason: "length" }],
  ["tool_use", { reason: "tool-calls" }],
  ["stop_sequence", { reason: "stop", raw: "stop_sequence" }],
  ["pause_turn", { reason: "stop", raw: "pause_turn" }],
  ["refusal", { reason: "content-filter", raw: "refusal" }],
  ["model_context_window_exceeded", { reason: "length", raw: "model_context_window_exceeded" }],
])

/** Maps OpenAI's stop reasons to Anthropic's, because compatible servers use OpenAI's reasons in this dialect. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["eos", "end_turn"],
  ["eos_token", "end_turn"],
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "refusal"],
])

/**
 * Decodes the reason why a response ended (docs/contribute/wire/anthropic-messages.md#f5 and
 * docs/contribute/wire/README.md#f5).
 */
export function decodeFinish(word: string | undefined, hasCalls: boolean): Finish {
  const own = word && ownWord(word)
  // With `tool_use`, an agent would wait for calls that the response does not contain.
  if (own === "tool_use" && !hasCalls) return { reason: "stop", raw: own }
  return FINISH_REASONS.get(own ?? "") ?? otherFinish(word)
}

function ownWord(word: string): string {
  return FINISH_REASONS.has(word) ? word : (OTHER_WORDS.get(word.toLowerCase()) ?? word)
}

/** The facts about how a response ended, from any dialect. */
export interface Ending {
  readonly reason: FinishReason
  readonly raw?: string | undefined
  readonly stopSequence?: string | undefined
  /** Whether the model's refusal is separate from the text of the response. */
  readonly isRefused: boolean
}

/**
 * Returns the reason in this dialect. The vendor's own reason is used if it exists in this dialect and agrees with the
 * canon's reason.
 */
export function encodeFinish(ending: Ending): string {
  const { reason, stopSequence, isRefused } = ending
  if (isRefused) return "refusal"
  // Cohere writes Anthropic's reasons in capitals.
  const raw = ending.raw?.toLowerCase()
  if (raw !== undefined && FINISH_REASONS.get(raw)?.reason === reason) return raw
  switch (reason) {
    case "tool-calls":
      return "tool_use"
    case "content-filter":
      return "refusal"
    case "length":
      return "max_tokens"
    case "stop":
      return stopSequence === undefined ? "end_turn" : "stop_sequence"
    case "other":
      return "end_turn"
  }
}

/** Returns the reason why a message ended, as callers of this dialect expect it. Unknown reasons are passed on. */
export function ownFinish(word: string | undefined, hasCalls: boolean): string {
  if (word !== undefined) return ownWord(word)
  return hasCalls ? "tool_use" : "end_turn"
}

/** Categories in which Anthropic bills a refusal before any output. */
const BILLED_CATEGORIES: ReadonlySet<string> = new Set([
  "bio",
  "frontier_llm",
  "reasoning_extraction",
])

/** Whether a refusal before any output is billed (docs/contribute/wire/anthropic-messages.md#f5). */
export function isBilledRefusal(category: string | undefined): boolean {
  return category !== undefined && BILLED_CATEGORIES.has(category)
}

/**
 * Whether Anthropic bills nothing for this response, because it has no output.
 * @param reported the response, or the frame of a stream that reports its usage.
 */
export function isUnbilled(reported: JsonObject): boolean {
  const ending = objectAt(reported, "delta") ?? reported
  if (ending.stop_reason !== "refusal") return false
  return !isBilledRefusal(textAt(objectAt(ending, "stop_details") ?? {}, "category"))
}
