const OPENING = /["{[\]}]/g
const STRING_END = /["\\]/g

/** Follows a JSON object that arrives in pieces, and reads each character once. It does not validate. */
export class ObjectProgress {
  #depth = 0
  #isStarted = false
  #isInString = false
  #isEscaped = false

  /** Whether the object has been closed. */
  get isComplete(): boolean {
    return this.#isStarted && this.#depth === 0
  }

  add(text: string): void {
    let at = 0
    while (at < text.length) at = this.#isInString ? this.#string(text, at) : this.#plain(text, at)
  }

  /** @returns the offset after the next bracket or quote. */
  #plain(text: string, start: number): number {
    OPENING.lastIndex = start
    const found = OPENING.exec(text)
    if (found === null) return text.length
    const [character] = found
    if (character === '"') this.#isInString = true
    else if (character === "{" || character === "[") {
      this.#isStarted = true
      this.#depth++
    } else this.#depth--
    return OPENING.lastIndex
  }

  /** @returns the offset after the next quote or escape. */
  #string(text: string, start: number): number {
    if (this.#isEscaped) {
      this.#isEscaped = false
      return start + 1
    }
    STRING_END.lastIndex = start
    const found = STRING_END.exec(text)
    if (found === null) return text.length
    if (found[0] === '"') this.#isInString = false
    else this.#isEscaped = true
    return STRING_END.lastIndex
  }
}
