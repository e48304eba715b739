/**
 * 64-bit integers, one for each request of a segment. They are stored in two halves, because loops over arrays of one
 * type are fast.
 */
export interface Column {
  readonly lower: Uint32Array
  /** The upper halves; absent if all of them are 0. */
  readonly upper?: Int32Array
}

/** The stored form of a column, which is the narrowest type that holds the largest value. */
type StoredColumn = Uint8Array | Uint16Array | Uint32Array | BigInt64Array

const LARGEST = { byte: 0xff, short: 0xffff, word: 0xffff_ffff }

/**
 * Encodes a column as its numbers, followed by one byte with their width in bytes.
 * @returns undefined if all values are 0.
 */
export function encodeColumn(
  values: readonly (number | bigint)[],
): Uint8Array<ArrayBuffer> | undefined {
  let largest: number | bigint = 0
  let smallest: number | bigint = 0
  for (const value of values) {
    if (value > largest) largest = value
    if (value < smallest) smallest = value
  }
  if (largest === 0 && smallest === 0) return undefined
  const numbers = columnOf(values, smallest < 0 ? Infinity : largest)
  const bytes = new Uint8Array(numbers.byteLength + 1)
  bytes.set(new Uint8Array(numbers.buffer))
  bytes[numbers.byteLength] = numbers.BYTES_PER_ELEMENT
  return bytes
}

function columnOf(values: readonly (number | bigint)[], largest: number | bigint): StoredColumn {
  if (largest <= LARGEST.byte) return Uint8Array.from(values, Number)
  if (largest <= LARGEST.short) return Uint16Array.from(values, Number)
  if (largest <= LARGEST.word) return Uint32Array.from(values, Number)
  return BigInt64Array.from(values, BigInt)
}

/**
 * Decodes a column.
 * @param bytes the result of `encodeColumn`.
 */
export function decodeColumn(bytes: Uint8Array): Column {
  const width = bytes.at(-1) ?? 1
  const length = Math.floor(bytes.byteLength / width)
  // The start of a typed array must be a multiple of its width.
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice()
  if (width === 1) return { lower: new Uint32Array(bytes.subarray(0, -1)) }
  if (width === 2) return { lower: new Uint32Array(new Uint16Array(buffer, byteOffset, length)) }
  if (width === 4) return { lower: new Uint32Array(buffer, byteOffset, length) }
  const halves = new Uint32Array(buffer, byteOffset, 2 * length)
  return {
    lower: Uint32Array.from({ length }, (_, index) => halves[2 * index] ?? 0),
    upper: Int32Array.from({ length }, (_, index) => (halves[2 * index + 1] ?? 0) | 0),
  }
}

const ZEROS = new Uint32Array(2 ** 16)

/**
 * Returns the lower halves.
 * @param column absent if all values are 0.
 */
export function lowerOf(column: Column | undefined, count: number): Uint32Array {
  return column?.lower ?? (count <= ZEROS.length ? ZEROS : new Uint32Array(count))
}
