import { type ChoiceEvent, firstOf } from "./stop-cut.ts"
import { LONGEST_TOKEN } from "../billing/bounds.ts"
import type { AccountCounter } from "../tokens/token-counter.ts"

/** Used for common text if it could not be counted. */
const CHARACTERS_OF_TOKEN = 4

/** Counts tokens. */
export type Counter = Pick<AccountCounter, "head">

/**
 * Ends the text of one streamed choice at a count of tokens below what its vendor takes. Such a text is
 * so short that it is kept until it is whole: where its tokens end may depend on what follows.
 */
export class LengthCut {
  readonly #max: number
  #held: ChoiceEvent[] = []
  #text = ""
  /** Whether the held text has to be counted now. */
  isDue = false
  /** Whether nothing more is to come of the choice. */
  isOver = false

  /** @param max tokens. */
  constructor(max: number) {
    this.#max = max
  }

  /** @returns what comes before any text. */
  push(event: ChoiceEvent): ChoiceEvent[] {
    if (this.isOver) return []
    if (this.#held.length === 0 && event.type !== "text-delta") return [event]
    this.#held.push(event)
    if (event.type === "text-delta") this.#text += event.text
    // More than this is more tokens in any vocabulary.
    const isLong = this.#text.length > this.#max * LONGEST_TOKEN
    if (event.type === "finish" || isLong) this.isDue = true
    return []
  }

  /** Ends the text: the held text is complete. */
  flush(): void {
    if (this.#held.length > 0) this.isDue = true
  }

  /** @returns what was held, as far as the limit lets it. */
  async settle(counter: Counter): Promise<ChoiceEvent[]> {
    const characters = await charactersOfTokens(this.#text, this.#max, counter)
    this.isDue = false
    const { first } = firstOf(this.#held, characters)
    const [{ choice } = { choice: 0 }] = this.#held
    this.isOver = characters < this.#text.length || this.#held.at(-1)?.type === "finish"
    if (characters < this.#text.length) first.push({ type: "finish", choice, reason: "length" })
    this.#held = []
    return first
  }
}

/** Returns the characters that a number of tokens of a text has. */
export async function charactersOfTokens(
  text: string,
  tokens: number,
  counter: Counter,
): Promise<number> {
  return (await counter.head(text, tokens)) ?? Math.min(text.length, tokens * CHARACTERS_OF_TOKEN)
}
