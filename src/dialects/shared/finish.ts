import type { ChatEvent, FinishReason } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { defined } from "./fields.ts"

/** Finish reasons of a failed generation, whose output is not a response (docs/contribute/wire/README.md#f5). */
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

/** The reason why a response ended, in the canon's terms and in the vendor's own. */
export interface Finish<Reason = FinishReason | "failed"> {
  readonly reason: Reason
  /** The vendor's own finish reason, if it is more specific than `reason`. */
  readonly raw?: string
  /** The stop sequence that ended the response, if the vendor names it. */
  readonly stopSequence?: string
}

/** Converts a finish reason that the dialect does not define: a failure, an unknown reason, or no reason. */
export function otherFinish(word: string | undefined): Finish {
  if (!word) return { reason: "other" }
  return { reason: isFailedWord(word) ? "failed" : "other", raw: word }
}

export function isFailedWord(word: string): boolean {
  return FAILED_WORDS.has(word.toLowerCase())
}

/**
 * Returns the finish reason of a whole response.
 * @throws GatewayError `upstream_error` if its generation failed.
 */
export function wholeFinish(finish: Finish): Finish<FinishReason> {
  if (!isResponseEnd(finish)) throw failedGeneration(finish.raw)
  return finish
}

function isResponseEnd(finish: Finish): finish is Finish<FinishReason> {
  return finish.reason !== "failed"
}

/** Returns the event that ends a choice of a stream, or an error event if the generation failed. */
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

/** Finish reasons for model errors that any caller can provoke with tools or messages (Google, Bedrock). */
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

/**
 * Returns the error for a generation that failed at the vendor.
 * @param word the vendor's own finish reason.
 */
export function failedGeneration(word = ""): GatewayError {
  return new GatewayError("upstream_error", "The provider failed while it wrote the response.", {
    providerError: OF_REQUEST.has(word.toLowerCase()) ? "generation" : "failure",
  })
}
