import type { ChatEvent, FinishReason } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { defined } from "./fields.ts"

/** Finish reasons of a failed generation, whose output is not an answer (docs/contribute/wire/README.md#f5). */
const FAILED_WORDS: ReadonlySet<string> = new Set([
  "error",
  "failed",
  "network_error",
  "insufficient_system_resource",
  "timeout",
  "abort",
  "aborted",
  "cancelled",
  "malformed_function_call",
  "malformed_model_output",
  "malformed_tool_use",
])

/** The reason for an answer's end, in the canon's words and in the vendor's own. */
export interface Finish<Reason = FinishReason | "failed"> {
  readonly reason: Reason
  /** The vendor's own word, when it is more specific than the reason. */
  readonly raw?: string
  /** The stop sequence that ended it, if the vendor names it. */
  readonly stopSequence?: string
}

/** A finish reason that the dialect does not have: of a failure, unknown, or absent. */
export function otherFinish(word: string | undefined): Finish {
  if (!word) return { reason: "other" }
  return { reason: isFailedWord(word) ? "failed" : "other", raw: word }
}

export function isFailedWord(word: string): boolean {
  return FAILED_WORDS.has(word.toLowerCase())
}

/** The end of a whole answer. @throws GatewayError `upstream_error` if its generation failed. */
export function wholeFinish(finish: Finish): Finish<FinishReason> {
  if (!isAnswerEnd(finish)) throw failedGeneration(finish.raw)
  return finish
}

function isAnswerEnd(finish: Finish): finish is Finish<FinishReason> {
  return finish.reason !== "failed"
}

/** Ends one choice of a stream, or the stream if the generation failed. */
export function finishEvent(
  choice: number,
  { reason, raw, stopSequence }: Finish,
): Extract<ChatEvent, { type: "finish" | "error" }> {
  if (reason === "failed") return failedEvent(raw ?? reason)
  return defined({ type: "finish", choice, reason, rawReason: raw, stopSequence })
}

function failedEvent(word: string): Extract<ChatEvent, { type: "error" }> {
  const message = `The generation failed: ${word}.`
  return { type: "error", message, code: word, failure: failedGeneration(word) }
}

/** Words for errors of a model that any caller can provoke, with its tools or its turns (Google, Bedrock). */
const OF_REQUEST: ReadonlySet<string> = new Set([
  "malformed_function_call",
  "malformed_model_output",
  "malformed_response",
  "malformed_tool_use",
  "missing_thought_signature",
  "other",
  "too_many_tool_calls",
  "unexpected_tool_call",
])

/** Returns the error for a generation that failed at the vendor. @param word the reason, in the vendor's words. */
export function failedGeneration(word = ""): GatewayError {
  return new GatewayError("upstream_error", "The provider failed while it wrote the answer.", {
    providerError: OF_REQUEST.has(word.toLowerCase()) ? "generation" : "failure",
  })
}
