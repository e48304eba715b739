import type { ByteReader } from "./byte-reader.ts"

/**
 * Returns the length in bytes of a variable-length number, which is the number of its leading zeros plus 1 (RFC 8794,
 * 4).
 */
export function ebmlLength(reader: ByteReader, at: number): number {
  return Math.clz32(reader.byte(at)) - 23
}

/**
 * Returns a variable-length number without its marker bit. If all bits are one, the size is unknown and the element is
 * read as empty.
 */
export function ebmlSize(reader: ByteReader, at: number, length: number): number {
  const most = 2 ** (7 * length) - 1
  const value = length === 8 ? reader.uint(at + 1, 7) : reader.uint(at, length) - 2 ** (7 * length)
  return value === most ? 0 : value
}

/** Reads a float of four or eight bytes; 0 if it is not positive. */
export function ebmlFloat(reader: ByteReader, at: number, size: number): number {
  if (size !== 4 && size !== 8) return 0
  const view = new DataView(new ArrayBuffer(8))
  for (let index = 0; index < size; index++) view.setUint8(index, reader.byte(at + index))
  const value = size === 4 ? view.getFloat32(0) : view.getFloat64(0)
  return Number.isFinite(value) && value > 0 ? value : 0
}
