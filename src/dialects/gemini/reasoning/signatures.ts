import type { JsonObject } from "../../../canon/json.ts"
import { wireSignature } from "./signature-text.ts"

/**
 * Places signatures in an answer: one without a thought goes on the part after it, as Gemini does, or alone if
 * none follows. That way clients that drop thoughts from a conversation keep it.
 */
export class Signatures {
  #waiting: string | undefined

  /** @returns the previous one, if no part has arrived to carry it. */
  hold(signature: string): JsonObject[] {
    const alone = this.end()
    this.#waiting = signature
    return alone
  }

  /** The part with the signature that waits for it. */
  on(part: JsonObject): JsonObject {
    if (this.#waiting === undefined) return part
    const signed = { ...part, thoughtSignature: wireSignature(this.#waiting) }
    this.#waiting = undefined
    return signed
  }

  /** The signature that is left when no more parts arrive. */
  end(): JsonObject[] {
    if (this.#waiting === undefined) return []
    // An empty text that is not a thought would be taken for an empty answer.
    return [this.on({ text: "", thought: true })]
  }
}
