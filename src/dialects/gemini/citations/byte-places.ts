/** Characters per step of the table, or one more where that would split a surrogate pair. */
const STEP = 1_024

/**
 * Converts between character positions of a text and byte positions of its UTF-8, which this dialect uses: by a
 * table, since there may be many positions in a long text.
 */
export class BytePlaces {
  #text = ""
  /** The starts of the steps: in characters, and in bytes. */
  readonly #characters = [0]
  readonly #bytes = [0]

  /** @param text the text so far. */
  constructor(text = "") {
    this.grow(text)
  }

  /** @param text the previous text, possibly extended. */
  grow(text: string): void {
    if (text.length === this.#text.length) return
    this.#text = text
    for (;;) {
      const start = this.#characters.at(-1) ?? 0
      let end = start + STEP
      if (isHigh(text.charCodeAt(end - 1))) end++
      if (end >= text.length) return
      this.#characters.push(end)
      this.#bytes.push((this.#bytes.at(-1) ?? 0) + Buffer.byteLength(text.slice(start, end)))
    }
  }

  /** How many bytes precede a character; positions outside of the text are clamped. */
  byteAt(character: number): number {
    const step = stepOf(this.#characters, character)
    const start = this.#characters[step] ?? 0
    const head = this.#text.slice(start, Math.max(start, character))
    return (this.#bytes[step] ?? 0) + Buffer.byteLength(head)
  }

  /** How many characters precede a byte; positions outside of the text are clamped. */
  characterAt(byte: number): number {
    const step = stepOf(this.#bytes, byte)
    const start = this.#characters[step] ?? 0
    const bytes = Buffer.from(this.#text.slice(start, this.#characters[step + 1]))
    const head = bytes.subarray(0, Math.max(0, byte - (this.#bytes[step] ?? 0)))
    return start + head.toString().length
  }
}

/** The last step that starts at or before a position. */
function stepOf(starts: readonly number[], place: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

function isHigh(code: number): boolean {
  return code >= 0xd8_00 && code < 0xdc_00
}
