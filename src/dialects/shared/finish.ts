import type { ChatEvent, FinishReason } from "../../canon/chat.ts"
import { defined } from "./fields.ts"

/** Why an answer ended, in the canon's words and in the vendor's own. */
export interface Finish {
  readonly reason: FinishReason
  /** The vendor's own word, when it is more specific than the reason. */
  readonly raw?: string
  /** The stop sequence that ended it, if the vendor names it. */
  readonly stopSequence?: string
}

/** A finish reason that is unknown, or absent. */
export function otherFinish(word: string | undefined): Finish {
  return word ? { reason: "other", raw: word } : { reason: "other" }
}

/** The end of one choice of a stream. */
export function finishEvent(
  choice: number,
  { reason, raw, stopSequence }: Finish,
): Extract<ChatEvent, { type: "finish" }> {
  return defined({ type: "finish", choice, reason, rawReason: raw, stopSequence })
}
