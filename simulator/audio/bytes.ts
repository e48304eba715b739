/** Writes bytes bit by bit, the highest bit first. */
export class BitWriter {
  readonly #bits: number[] = []

  write(value: number, width: number): this {
    for (let bit = width - 1; bit >= 0; bit--) this.#bits.push(Math.floor(value / 2 ** bit) % 2)
    return this
  }

  /** Returns the written bytes. The last byte is padded with zero bits. */
  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8))
    for (const [index, bit] of this.#bits.entries()) {
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (7 - (index & 7)))
    }
    return bytes
  }
}

/** Returns a cyclic redundancy check with the initial value zero, processing the highest bit first. */
export function checksum(bytes: Uint8Array, polynomial: number, width: 8 | 16 | 32): number {
  const top = 2 ** (width - 1)
  const size = 2 ** width
  let sum = 0
  for (const byte of bytes) {
    sum = (sum ^ (byte * 2 ** (width - 8))) >>> 0
    for (let bit = 0; bit < 8; bit++) {
      const isSet = sum >= top
      sum = (sum * 2) % size
      if (isSet) sum = (sum ^ polynomial) >>> 0
    }
  }
  return sum
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(chunks))
}
