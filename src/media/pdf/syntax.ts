/** The error for a PDF that is malformed, encrypted, or has too many parts. */
export class UnreadablePdf extends Error {
  override readonly name = "UnreadablePdf"
}

export interface PdfName {
  readonly name: string
}

export interface PdfReference {
  readonly reference: number
}

/** A string. Its content is not stored, because only its length is needed. */
export interface PdfString {
  readonly stringBytes: number
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>

/** A value as defined in ISO 32000-1, 7.3. */
export type PdfValue =
  | undefined
  | boolean
  | number
  | PdfName
  | PdfReference
  | PdfString
  | readonly PdfValue[]
  | PdfDictionary

const MAX_DEPTH = 64
const MAX_VALUES = 3_000_000

const SPACES: ReadonlySet<number> = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS: ReadonlySet<number> = new Set(Buffer.from("()<>[]{}/%"))
const [OPEN, CLOSE, LESS, GREATER] = [0x28, 0x29, 0x3c, 0x3e]
const [BRACKET, END_BRACKET, SLASH, PERCENT, BACKSLASH] = [0x5b, 0x5d, 0x2f, 0x25, 0x5c]

/** Reads values from the bytes of a PDF. All parsers of a document share a limit on the number of values. */
export class PdfParser {
  readonly #bytes: Uint8Array
  readonly #budget: { values: number }
  at: number

  constructor(bytes: Uint8Array, at: number, budget: { values: number }) {
    this.#bytes = bytes
    this.at = at
    this.#budget = budget
  }

  static newBudget(): { values: number } {
    return { values: MAX_VALUES }
  }

  /**
   * Reads a value.
   * @throws UnreadablePdf
   */
  value(depth = 0): PdfValue {
    if (depth > MAX_DEPTH || --this.#budget.values < 0) throw new UnreadablePdf()
    this.skipSpace()
    switch (this.#bytes[this.at]) {
      case SLASH:
        return { name: this.#name() }
      case OPEN:
        return { stringBytes: this.#string() }
      case BRACKET:
        return this.#array(depth)
      case LESS:
        return this.#bytes[this.at + 1] === LESS
          ? this.#dictionary(depth)
          : { stringBytes: this.#hexString() }
      default:
        return this.#atom()
    }
  }

  skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.at]
      if (byte === PERCENT) {
        while (this.at < this.#bytes.length && !isLineEnd(this.#bytes[this.at])) this.at++
      } else if (byte === undefined || !SPACES.has(byte)) return
      else this.at++
    }
  }

  /** Consumes a word if it comes next, and reports whether it did. */
  takes(word: string): boolean {
    this.skipSpace()
    for (let index = 0; index < word.length; index++) {
      if (this.#bytes[this.at + index] !== word.charCodeAt(index)) return false
    }
    this.at += word.length
    return true
  }

  #name(): string {
    const start = ++this.at
    while (this.at < this.#bytes.length && !isDelimiter(this.#bytes[this.at])) this.at++
    return decodeName(Buffer.from(this.#bytes.subarray(start, this.at)).toString("latin1"))
  }

  #string(): number {
    const start = ++this.at
    for (let depth = 1; depth > 0; this.at++) {
      const byte = this.#bytes[this.at]
      if (byte === undefined) throw new UnreadablePdf()
      if (byte === BACKSLASH) this.at++
      else if (byte === OPEN) depth++
      else if (byte === CLOSE) depth--
    }
    return this.at - start - 1
  }

  #hexString(): number {
    const start = ++this.at
    const end = this.#bytes.indexOf(GREATER, start)
    if (end < 0) throw new UnreadablePdf()
    this.at = end + 1
    return Math.ceil((end - start) / 2)
  }

  #array(depth: number): readonly PdfValue[] {
    this.at++
    const values: PdfValue[] = []
    for (;;) {
      this.skipSpace()
      if (this.at >= this.#bytes.length) throw new UnreadablePdf()
      if (this.#bytes[this.at] === END_BRACKET) break
      values.push(this.value(depth + 1))
    }
    this.at++
    return values
  }

  #dictionary(depth: number): PdfDictionary {
    this.at += 2
    const members = new Map<string, PdfValue>()
    while (!this.takes(">>")) {
      if (this.#bytes[this.at] !== SLASH) throw new UnreadablePdf()
      const name = this.#name()
      // Such a document is rejected, because readers differ in which of two members with the same name they use.
      if (members.has(name)) throw new UnreadablePdf()
      members.set(name, this.value(depth + 1))
    }
    return members
  }

  /** Reads a number, a reference, or a word. */
  #atom(): PdfValue {
    const word = this.#word()
    if (word === "true") return true
    if (word === "false") return false
    if (word === "null") return undefined
    const value = Number(word)
    if (word === "" || !/^[+-]?[\d.]/.test(word)) throw new UnreadablePdf()
    if (!Number.isSafeInteger(value) || value < 0) return Number.isNaN(value) ? 0 : value
    const behind = this.at
    this.skipSpace()
    if (/^\d+$/.test(this.#word())) {
      this.skipSpace()
      if (this.#word() === "R") return { reference: value }
    }
    this.at = behind
    return value
  }

  #word(): string {
    const start = this.at
    while (this.at - start < 32 && !isDelimiter(this.#bytes[this.at])) this.at++
    return Buffer.from(this.#bytes.subarray(start, this.at)).toString("latin1")
  }
}

/** Decodes a name, in which `#` and two hexadecimal digits encode a byte. */
export function decodeName(name: string): string {
  if (!name.includes("#")) return name
  return name.replaceAll(/#([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 10 || byte === 13
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === undefined || SPACES.has(byte) || DELIMITERS.has(byte)
}

export function isDictionary(value: PdfValue): value is PdfDictionary {
  return value instanceof Map
}

export function isList(value: PdfValue): value is readonly PdfValue[] {
  return Array.isArray(value)
}

/** Returns the number of the object that a value refers to; undefined if the value is not a reference. */
export function referenceOf(value: PdfValue): number | undefined {
  return typeof value === "object" && "reference" in value ? value.reference : undefined
}

export function nameOf(value: PdfValue): string | undefined {
  return typeof value === "object" && "name" in value ? value.name : undefined
}
