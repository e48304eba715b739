import type { JsonObject } from "../../../canon/json.ts"
import { wireSignature } from "./signature-text.ts"

/**
 * Places signatures in an answer. As in Gemini's own answers, a signature without a thought is placed on the part after
 * it. It is sent alone if no part follows. Clients that drop thoughts from a conversation then keep the signature.
 */
export class Signatures {
  #waiting: string | undefined

  /**
   * Holds a signature for the next part.
   * @returns a part with the previous signature, if no part has arrived for it.
   */
  hold(signature: string): JsonObject[] {
    const alone = this.end()
    this.#waiting = signature
    return alone
  }

  /** Returns the part, with the waiting signature if there is one. */
  on(part: JsonObject): JsonObject {
    if (this.#waiting === undefined) return part
    const signed = { ...part, thoughtSignature: wireSignature(this.#waiting) }
    this.#waiting = undefined
    return signed
  }

  /** Returns a part for the signature that still waits when no more parts arrive. */
  end(): JsonObject[] {
    if (this.#waiting === undefined) return []
    // A client would treat an empty text that is not a thought as an empty answer.
    return [this.on({ text: "", thought: true })]
  }
}
