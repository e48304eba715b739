import type { FinishReason } from "../../canon/chat.ts"
import { type Finish, otherFinish } from "../shared/finish.ts"

/** Why an answer ended, in the canon's words and in the vendor's own. */
const FINISH_REASONS: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["end_turn", { reason: "stop" }],
  ["max_tokens", { reason: "length" }],
  ["tool_use", { reason: "tool-calls" }],
  ["stop_sequence", { reason: "stop", raw: "stop_sequence" }],
  ["pause_turn", { reason: "stop", raw: "pause_turn" }],
  ["refusal", { reason: "content-filter", raw: "refusal" }],
  ["model_context_window_exceeded", { reason: "length", raw: "model_context_window_exceeded" }],
])

/** Words of OpenAI's formats, which compatible servers use in this one. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["eos", "end_turn"],
  ["eos_token", "end_turn"],
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "refusal"],
])

/** Why an answer ended (docs/contribute/wire/anthropic-messages.md#f5 and docs/contribute/wire/README.md#f5). */
export function decodeFinish(word: string | undefined, hasCalls: boolean): Finish {
  const own = word && ownWord(word)
  // An agent would wait for calls that are not there.
  if (own === "tool_use" && !hasCalls) return { reason: "stop", raw: own }
  return FINISH_REASONS.get(own ?? "") ?? otherFinish(word)
}

function ownWord(word: string): string {
  return FINISH_REASONS.has(word) ? word : (OTHER_WORDS.get(word.toLowerCase()) ?? word)
}

/** The end of an answer, from any dialect. */
export interface Ending {
  readonly reason: FinishReason
  readonly raw?: string | undefined
  readonly stopSequence?: string | undefined
  /** Whether the model refused in words that are separate from text. */
  readonly isRefused: boolean
}

/** The word of this dialect; the vendor's own if it belongs to this dialect and agrees. */
export function encodeFinish(ending: Ending): string {
  const { reason, stopSequence, isRefused } = ending
  if (isRefused) return "refusal"
  // Cohere uses capitals for Anthropic's words.
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

/** Why a message ended, in a word that callers of this dialect know; unknown words are passed on. */
export function ownFinish(word: string | undefined, hasCalls: boolean): string {
  if (word !== undefined) return ownWord(word)
  return hasCalls ? "tool_use" : "end_turn"
}
