/** Characters in each step of the table. A step has one more if it would otherwise split a surrogate pair. */
const STEP = 1_024

/**
 * Converts between character positions in a growing text and the byte positions in UTF-8 that this dialect uses. It
 * uses a table, because a long text may have many positions. The time for appending and converting does not grow with
 * the text.
 */
export class BytePlaces {
  /** The steps that are complete, in order. */
  readonly #steps: string[] = []
  /** The positions at which each step and the tail start, in characters and in bytes. */
  readonly #characters = [0]
  readonly #bytes = [0]
  /** The text after the last complete step. */
  #tail = ""
  #pending: string[] = []
  #length = 0
  /** The step that was encoded last. Positions that are converted consecutively are usually in the same step. */
  #encoded: { readonly step: number; readonly bytes: Buffer } | undefined

  /** The length of the text in characters. */
  get length(): number {
    return this.#length
  }

  append(text: string): void {
    this.#length += text.length
    this.#pending.push(text)
  }

  /** Returns the number of bytes before a character. Positions outside the text are clamped. */
  byteAt(character: number): number {
    this.#divide()
    const step = stepOf(this.#characters, character)
    const start = this.#characters[step] ?? 0
    const head = this.#textOf(step).slice(0, Math.max(0, character - start))
    return (this.#bytes[step] ?? 0) + Buffer.byteLength(head)
  }

  /** Returns the number of characters before a byte. Positions outside the text are clamped. */
  characterAt(byte: number): number {
    this.#divide()
    const step = stepOf(this.#bytes, byte)
    const bytes = this.#encode(step)
    const length = Math.max(0, byte - (this.#bytes[step] ?? 0))
    const head = bytes.toString("utf8", 0, Math.min(length, bytes.length))
    return (this.#characters[step] ?? 0) + head.length
  }

  /** Returns the text between two character positions. */
  slice(start: number, end: number): string {
    this.#divide()
    const first = stepOf(this.#characters, start)
    const last = stepOf(this.#characters, end)
    let text = ""
    for (let step = first; step <= last; step++) text += this.#textOf(step)
    const offset = this.#characters[first] ?? 0
    return text.slice(Math.max(0, start - offset), Math.max(0, end - offset))
  }

  #textOf(step: number): string {
    return this.#steps[step] ?? this.#tail
  }

  #encode(step: number): Buffer {
    if (this.#encoded?.step === step) return this.#encoded.bytes
    const bytes = Buffer.from(this.#textOf(step))
    this.#encoded = { step, bytes }
    return bytes
  }

  /** Divides the appended text into steps. */
  #divide(): void {
    if (this.#pending.length === 0) return
    const text = this.#tail + this.#pending.join("")
    this.#pending = []
    this.#encoded = undefined
    let from = 0
    for (;;) {
      let end = from + STEP
      if (isHigh(text.charCodeAt(end - 1))) end++
      if (end >= text.length) break
      this.#addStep(text.slice(from, end))
      from = end
    }
    this.#tail = text.slice(from)
  }

  #addStep(text: string): void {
    this.#steps.push(text)
    this.#characters.push((this.#characters.at(-1) ?? 0) + text.length)
    this.#bytes.push((this.#bytes.at(-1) ?? 0) + Buffer.byteLength(text))
  }
}

/** Returns the last step that starts at or before a position. */
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
