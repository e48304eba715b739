const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

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

  /** Reads codes in a loop, because a search for each quote takes 50 times as long if a provider sends only quotes. */
  add(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#isInString) this.#string(code)
      else this.#plain(code)
    }
  }

  #plain(code: number): void {
    if (code === QUOTE) this.#isInString = true
    else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      this.#isStarted = true
      this.#depth++
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) this.#depth--
  }

  #string(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === QUOTE) this.#isInString = false
    else if (code === BACKSLASH) this.#isEscaped = true
  }
}
