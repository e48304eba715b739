import { crc32 } from "node:zlib"
import type { ImageSize } from "./image-size.ts"

/** The facts in the header of a PNG. */
export interface PngFacts extends ImageSize {
  /** Whether pixels can be transparent, by the color type or a `tRNS` chunk. */
  readonly hasAlpha: boolean
}

/** Reasons why bytes are not a valid PNG, worded as the end of a sentence. */
export type PngFault =
  | "it is not a PNG"
  | "its header is damaged"
  | "it is cut off"
  | "one of its parts is damaged"

/** The first bytes of every PNG. */
export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Types of the chunks that are read, each as the code of four letters. */
const IHDR = 0x49484452
const TRNS = 0x74524e53
const IDAT = 0x49444154
const IEND = 0x49454e44
/** Bytes of the length, type and checksum of a chunk. */
const FRAME = 12
const HEADER_LENGTH = 13
/** Maximum value of lengths and sides, which is below 2^31 (PNG specification, section 5.3). */
const MAX_LENGTH = 0x7fff_ffff

/** Allowed bits per sample of each color type (PNG specification, table 11.1). */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}
const ALPHA_TYPES: ReadonlySet<number> = new Set([4, 6])

/**
 * Reads a PNG without decompressing any pixel. It checks the signature, the header, and every chunk with its checksum
 * up to the end marker. The work depends on the number of bytes sent, not on the size of the decompressed image.
 */
export function readPng(bytes: Uint8Array<ArrayBuffer>): PngFacts | PngFault {
  if (!PNG_SIGNATURE.every((byte, index) => bytes[index] === byte)) return "it is not a PNG"
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let facts: PngFacts | undefined
  let hasPixels = false
  let at = PNG_SIGNATURE.length
  while (at + FRAME <= bytes.length) {
    const length = view.getUint32(at)
    const end = at + FRAME + length
    if (length > MAX_LENGTH) return "one of its parts is damaged"
    if (end > bytes.length) return "it is cut off"
    const checked = bytes.subarray(at + 4, end - 4)
    if (crc32(checked) !== view.getUint32(end - 4)) return "one of its parts is damaged"
    const type = view.getUint32(at + 4)
    if (facts === undefined) {
      const header = type === IHDR ? readHeader(view, at + 8, length) : undefined
      if (header === undefined) return "its header is damaged"
      facts = header
    } else if (type === TRNS) facts = { ...facts, hasAlpha: true }
    else if (type === IDAT) hasPixels = true
    else if (type === IEND) return hasPixels ? facts : "one of its parts is damaged"
    at = end
  }
  return "it is cut off"
}

function readHeader(view: DataView, at: number, length: number): PngFacts | undefined {
  if (length !== HEADER_LENGTH) return undefined
  const width = view.getUint32(at)
  const height = view.getUint32(at + 4)
  const depth = view.getUint8(at + 8)
  const colour = view.getUint8(at + 9)
  const hasKnownMethods =
    view.getUint8(at + 10) === 0 && view.getUint8(at + 11) === 0 && view.getUint8(at + 12) <= 1
  if (!hasKnownMethods || DEPTHS[colour]?.includes(depth) !== true) return undefined
  if (width < 1 || height < 1 || width > MAX_LENGTH || height > MAX_LENGTH) return undefined
  return { width, height, hasAlpha: ALPHA_TYPES.has(colour) }
}
