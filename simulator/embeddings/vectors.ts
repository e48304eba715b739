import { wordsIn } from "../words.ts"

/**
 * Returns the vector of a text as 32-bit floats with a length of one. The same text always has the same vector, and
 * texts that share more words have closer vectors.
 */
export function vectorOf(text: string, dimensions: number): number[] {
  const sum = new Float64Array(dimensions)
  for (const word of wordsIn(text)) addWord(sum, word)
  const length = Math.hypot(...sum) || 1
  return Array.from(sum, (number) => Math.fround(number / length))
}

/** Adds the direction of a word. */
function addWord(sum: Float64Array, word: string): void {
  let state = Number(BigInt.asUintN(32, BigInt(Bun.hash(word)))) | 0
  for (let index = 0; index < sum.length; index++) {
    // The generator mulberry32.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    sum[index] = (sum[index] ?? 0) + ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

/** Returns the vector as base64 of little-endian 32-bit floats (docs/contribute/wire/embeddings.md#f2). */
export function base64Of(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  vector.forEach((number, index) => view.setFloat32(index * 4, number, true))
  return Buffer.from(view.buffer).toString("base64")
}

/** Returns the vector as base64 of signed bytes, scaled so that its largest number becomes the maximum. */
export function int8Of(vector: readonly number[]): string {
  const greatest = Math.max(...vector.map(Math.abs)) || 1
  const bytes = Int8Array.from(vector, (number) => Math.round((number / greatest) * 127))
  return Buffer.from(bytes.buffer).toString("base64")
}
