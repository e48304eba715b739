/** Reads a part of a file. The part must be within the file. */
export type ReadPart = (start: number, end: number) => Uint8Array

const WINDOW = 256 * 1024

/** Reads the bytes of a file at any position. Only a window of the file is in memory. Bytes beyond the end are 0. */
export class ByteReader {
  readonly size: number
  readonly #read: ReadPart
  #window: Uint8Array = new Uint8Array()
  #start = 0

  constructor(size: number, read: ReadPart) {
    this.size = size
    this.#read = read
  }

  static of(bytes: Uint8Array): ByteReader {
    return new ByteReader(bytes.length, (start, end) => bytes.subarray(start, end))
  }

  byte(at: number): number {
    const offset = at - this.#start
    if (offset >= 0 && offset < this.#window.length) return this.#window[offset] ?? 0
    if (at < 0 || at >= this.size) return 0
    this.#load(at)
    return this.#window[at - this.#start] ?? 0
  }

  /** Reads a big-endian integer of up to seven bytes. */
  uint(at: number, length: number): number {
    let value = 0
    for (let index = 0; index < length; index++) value = value * 256 + this.byte(at + index)
    return value
  }

  /** Reads a little-endian integer of up to seven bytes. */
  uintLittle(at: number, length: number): number {
    let value = 0
    for (let index = length - 1; index >= 0; index--) value = value * 256 + this.byte(at + index)
    return value
  }

  /** Reads text with one byte per character. */
  text(at: number, length: number): string {
    let text = ""
    for (let index = 0; index < length; index++) text += String.fromCharCode(this.byte(at + index))
    return text
  }

  /** Returns the next position of a byte; the size of the file if the byte does not occur. */
  find(byte: number, from: number): number {
    let at = from
    while (at < this.size) {
      this.byte(at)
      const found = this.#window.indexOf(byte, at - this.#start)
      if (found >= 0) return this.#start + found
      at = this.#start + this.#window.length
    }
    return this.size
  }

  /** Returns the next position of a text with one byte per character; the size of the file if it does not occur. */
  findText(text: string, from: number): number {
    let at = from
    while (at + text.length <= this.size) {
      this.byte(at)
      const { buffer, byteOffset, length } = this.#window
      const window = Buffer.from(buffer, byteOffset, length)
      const found = window.indexOf(text, at - this.#start, "latin1")
      if (found >= 0) return this.#start + found
      at = Math.max(at + 1, this.#start + length - text.length + 1)
    }
    return this.size
  }

  /** Returns a part of the file, up to its end. */
  slice(start: number, length: number): Uint8Array {
    const from = Math.min(this.size, Math.max(0, start))
    return this.#read(from, Math.min(this.size, from + length))
  }

  #load(at: number): void {
    // Also reads some bytes before the position, because parsers look back a little.
    this.#start = Math.max(0, at - 1_024)
    this.#window = this.#read(this.#start, Math.min(this.size, this.#start + WINDOW))
  }
}
