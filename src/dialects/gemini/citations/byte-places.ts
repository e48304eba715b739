/** Characters between two places of the table, or one more where that would part a pair. */
const STEP = 1_024

/**
 * Where the characters of a text stand among the bytes of its UTF-8, which is how this dialect counts: looked up in a
 * table, since what is asked may be many places in a long text.
 */
export class BytePlaces {
  #text = ""
  /** Where the steps begin: in characters, and in bytes. */
  readonly #characters = [0]
  readonly #bytes = [0]

  /** @param text what was there before, and perhaps more. */
  constructor(text = "") {
    this.grow(text)
  }

  /** @param text what was there before, and perhaps more. */
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

  /** How many bytes stand before a character; what is outside of the text is at its nearest end. */
  byteAt(character: number): number {
    const step = stepOf(this.#characters, character)
    const start = this.#characters[step] ?? 0
    const head = this.#text.slice(start, Math.max(start, character))
    return (this.#bytes[step] ?? 0) + Buffer.byteLength(head)
  }

  /** How many characters stand before a byte; what is outside of the text is at its nearest end. */
  characterAt(byte: number): number {
    const step = stepOf(this.#bytes, byte)
    const start = this.#characters[step] ?? 0
    const bytes = Buffer.from(this.#text.slice(start, this.#characters[step + 1]))
    const head = bytes.subarray(0, Math.max(0, byte - (this.#bytes[step] ?? 0)))
    return start + head.toString().length
  }
}

/** The last step that begins at or before a place. */
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
