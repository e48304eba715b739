/** Whole numbers, one for each request of a segment: of 64 bits only where one of them needs more than 32. */
export type Column = Uint32Array | BigInt64Array

/** As they are stored: as narrow as the largest of them allows. */
type NarrowColumn = Column | Uint8Array | Uint16Array

const LARGEST = { byte: 0xff, short: 0xffff, word: 0xffff_ffff }

/** As it is stored: the numbers, and behind them how many bytes each has. @returns undefined where all are 0. */
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

function columnOf(values: readonly (number | bigint)[], largest: number | bigint): NarrowColumn {
  if (largest <= LARGEST.byte) return Uint8Array.from(values, Number)
  if (largest <= LARGEST.short) return Uint16Array.from(values, Number)
  if (largest <= LARGEST.word) return Uint32Array.from(values, Number)
  return BigInt64Array.from(values, BigInt)
}

/** @param bytes of `encodeColumn`. */
export function decodeColumn(bytes: Uint8Array): Column {
  const width = bytes.at(-1) ?? 1
  const length = Math.floor(bytes.byteLength / width)
  // Numbers have to begin at a multiple of their width.
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice()
  // Loops over one kind of array are several times as fast as over several.
  if (width === 1) return new Uint32Array(bytes.subarray(0, -1))
  if (width === 2) return new Uint32Array(new Uint16Array(buffer, byteOffset, length))
  if (width === 4) return new Uint32Array(buffer, byteOffset, length)
  return new BigInt64Array(buffer, byteOffset, length)
}

const ZEROS = new Uint32Array(2 ** 16)

/** Numbers of 32 bits: ids, flags and counts. @param column undefined: all of it is 0. */
export function wordsOf(column: Column | undefined, count: number): Uint32Array {
  if (column instanceof Uint32Array) return column
  if (column) return Uint32Array.from(column, Number)
  return count <= ZEROS.length ? ZEROS : new Uint32Array(count)
}
