import type { ChatEvent, FinishReason } from "../../canon/chat.ts"
import { defined } from "./fields.ts"

/** Why an answer ended, in the canon's words and in the vendor's own. */
export interface Finish {
  readonly reason: FinishReason
  /** The vendor's own word, when it says more than the reason. */
  readonly raw?: string
  /** The stop sequence that ended it, where the vendor names it. */
  readonly stopSequence?: string
}

/** An end that the vendor names by an unknown word, or does not name. */
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
