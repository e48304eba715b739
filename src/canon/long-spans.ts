/** Strings and lists with more bytes are long. */
export const MAX_SHORT_BYTES = 34

/**
 * Collects the positions of long strings, except names of members, and of long lists without strings, lists and
 * objects. A `JsonScanner` reports the structure to it.
 */
export class LongSpans {
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  #text = 0
  /** The start of the innermost open list if it has only numbers and words so far; otherwise -1. */
  #list = -1
  /** Whether the last string is long, and nothing has followed it. */
  #isLastLong = false

  /** The offsets of the opening quotes and brackets, in ascending order. */
  get starts(): readonly number[] {
    return this.#starts
  }

  /** The offsets after the closing quotes and brackets. The values do not overlap. */
  get ends(): readonly number[] {
    return this.#ends
  }

  startText(at: number): void {
    this.#text = at
    this.#list = -1
    this.#isLastLong = false
  }

  endText(end: number): void {
    this.#isLastLong = this.#add(this.#text, end)
  }

  /** Called for the colon after the name of a member. */
  colon(): void {
    if (this.#isLastLong) {
      this.#starts.pop()
      this.#ends.pop()
    }
    this.#isLastLong = false
    this.#list = -1
  }

  open(at: number, isList: boolean): void {
    this.#list = isList ? at : -1
  }

  close(end: number, isList: boolean): void {
    if (isList && this.#list !== -1) this.#add(this.#list, end)
    this.#list = -1
  }

  #add(start: number, end: number): boolean {
    if (end - start <= MAX_SHORT_BYTES) return false
    this.#starts.push(start)
    this.#ends.push(end)
    return true
  }
}
