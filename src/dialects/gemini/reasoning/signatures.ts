import type { JsonObject } from "../../../canon/json.ts"
import { wireSignature } from "./signature-text.ts"

/**
 * Where signatures stand in an answer: one without a thought of its own on the part behind it, as Gemini itself
 * has it, or alone where none comes. Clients that leave thoughts out of a conversation keep it so.
 */
export class Signatures {
  #waiting: string | undefined

  /** @returns the one before, when nothing has come that it could stand on. */
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

  /** What is left when no part comes any more. */
  end(): JsonObject[] {
    if (this.#waiting === undefined) return []
    // An empty text that is no thought would be taken for an empty answer.
    return [this.on({ text: "", thought: true })]
  }
}
