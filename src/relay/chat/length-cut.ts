import { type ChoiceEvent, firstOf } from "./stop-cut.ts"
import { MAX_TOKEN_BYTES } from "../billing/bounds.ts"
import type { AccountCounter } from "../tokens/token-counter.ts"

/** Characters per token that are assumed for text that could not be counted. */
const CHARACTERS_OF_TOKEN = 4

/** Counts the tokens of a text. */
export type Counter = Pick<AccountCounter, "head">

/**
 * Ends the text of one streamed choice at a limit below the vendor's minimum. Such a text is short, so it is held back
 * until it is complete. The boundaries of its tokens may depend on the text after them.
 */
export class LengthCut {
  readonly #max: number
  #held: ChoiceEvent[] = []
  #text = ""
  /** Whether the held text must be counted now. */
  isDue = false
  /** Whether the choice has ended. */
  isOver = false

  /** @param max the maximum number of tokens. */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Handles an event.
   * @returns the events that can be sent, which are only those before any text.
   */
  push(event: ChoiceEvent): ChoiceEvent[] {
    if (this.isOver) return []
    if (this.#held.length === 0 && event.type !== "text-delta") return [event]
    this.#held.push(event)
    if (event.type === "text-delta") this.#text += event.text
    // A text of this length exceeds the limit in any vocabulary.
    const isLong = this.#text.length > this.#max * MAX_TOKEN_BYTES
    if (event.type === "finish" || isLong) this.isDue = true
    return []
  }

  /** Ends the text, because the held text is complete. */
  flush(): void {
    if (this.#held.length > 0) this.isDue = true
  }

  /**
   * Counts the held text.
   * @returns the held events, up to the limit.
   */
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

/** Returns the length in characters of the first tokens of a text. */
export async function charactersOfTokens(
  text: string,
  tokens: number,
  counter: Counter,
): Promise<number> {
  return (await counter.head(text, tokens)) ?? Math.min(text.length, tokens * CHARACTERS_OF_TOKEN)
}
