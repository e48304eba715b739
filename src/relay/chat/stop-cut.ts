import type { ChatEvent } from "../../canon/chat.ts"
import { StopSearch, type StopSequences } from "../../canon/stop-search.ts"

export type ChoiceEvent = Extract<ChatEvent, { readonly choice: number }>

/** Ends the text of one streamed choice before a stop sequence. */
export class StopCut {
  readonly #search: StopSearch
  /** Text that may be the start of a sequence, and the events after it. */
  #pending: ChoiceEvent[] = []
  /** The length of the pending text in characters. */
  #length = 0
  /** Whether a sequence was found. */
  isOver = false

  constructor(sequences: StopSequences) {
    this.#search = new StopSearch(sequences)
  }

  /**
   * Handles an event.
   * @returns the events that cannot be part of a sequence.
   */
  push(event: ChoiceEvent): ChoiceEvent[] {
    if (this.isOver) return []
    switch (event.type) {
      case "text-delta":
        return this.#read(event)
      case "citation":
      case "choice-extra":
        // Other events belong to the text before them, so they wait for pending text.
        if (this.#pending.length === 0) return [event]
        this.#pending.push(event)
        return []
      default:
        this.#search.restart()
        return [...this.flush(), event]
    }
  }

  /** Releases the pending text, because no further text can continue it. */
  flush(): ChoiceEvent[] {
    return this.#take(this.#length)
  }

  #read(event: ChoiceEvent & { readonly type: "text-delta" }): ChoiceEvent[] {
    const { text, choice } = event
    const read = this.#search.push(text)
    this.#pending.push(event)
    this.#length += text.length
    const { found } = this.#search
    if (read === undefined || found === undefined) {
      return this.#take(this.#length - this.#search.begun)
    }
    this.isOver = true
    const before = this.#take(this.#length - (text.length - read) - found.length)
    this.#pending = []
    return [...before, { type: "finish", choice, reason: "stop", stopSequence: found }]
  }

  /**
   * Returns pending events.
   * @param characters the number of characters of text that stay pending.
   */
  #take(characters: number): ChoiceEvent[] {
    this.#length -= characters
    const taken = firstOf(this.#pending, characters)
    this.#pending = taken.rest
    return taken.first
  }
}

/**
 * Splits events at a number of characters of their text.
 * @returns `first` with all events before the next character, and the rest.
 */
export function firstOf(
  events: readonly ChoiceEvent[],
  characters: number,
): { readonly first: ChoiceEvent[]; readonly rest: ChoiceEvent[] } {
  let left = characters
  for (const [index, event] of events.entries()) {
    const size = event.type === "text-delta" ? event.text.length : 0
    if (size <= left) {
      left -= size
      continue
    }
    const first = events.slice(0, index)
    const rest = events.slice(index)
    if (left > 0 && event.type === "text-delta") {
      first.push({ ...event, text: event.text.slice(0, left) })
      rest[0] = { ...event, text: event.text.slice(left) }
    }
    return { first, rest }
  }
  return { first: [...events], rest: [] }
}
