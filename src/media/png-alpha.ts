import { createInflate } from "node:zlib"
import type { PngFault } from "./png.ts"

/** The opacity of each pixel of an image, row by row: 0 is transparent, 255 opaque. */
export interface AlphaChannel {
  readonly width: number
  readonly height: number
  readonly alpha: Uint8Array<ArrayBuffer>
}

/** Reasons why the pixels of an image cannot be read, as the end of a sentence. */
export type AlphaFault = PngFault | "it has too many pixels"

/**
 * Maximum number of pixels: more than any vendor accepts in an image to edit (Stability's reference
 * of `edit/inpaint` has this number).
 */
const MAX_PIXELS = 9_437_184

/**
 * Ensures that only one image is decompressed at a time, because it takes four bytes per pixel, at
 * most 140 MB.
 */
let previous: Promise<unknown> = Promise.resolve()

/**
 * Decompresses the alpha channel of a PNG that `readPng` has found valid. Most of the work runs on
 * a thread of the runtime, and the rest yields to other work.
 */
export async function readAlpha(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<AlphaChannel | AlphaFault> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const width = view.getUint32(16)
  const height = view.getUint32(20)
  if (width * height > MAX_PIXELS) return "it has too many pixels"
  const reading = previous.then(() => unpackAlpha(bytes, { width, height }))
  previous = reading.then(noResult, noResult)
  const alpha = await reading
  return alpha === undefined ? "one of its parts is damaged" : { width, height, alpha }
}

/** Discards the result of the previous image. */
function noResult(): void {}

/** Returns undefined if the image cannot be decoded. */
async function unpackAlpha(
  bytes: Uint8Array<ArrayBuffer>,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const plain = await toPlainPng(bytes)
  if (plain === undefined) return undefined
  const alpha = new Uint8Array(width * height)
  const rowLength = 1 + 4 * width
  // A row starts with its filter; every fourth byte after it is an alpha value.
  let column = 0
  let pixel = 0
  for await (const chunk of pixelData(plain)) {
    for (let at = 0; at < chunk.length; at++) {
      if (column === 0 && chunk[at] !== 0) throw new Error("the runtime's PNG encoder filters rows")
      if ((column & 3) === 0 && column > 0) alpha[pixel++] = chunk[at] ?? 255
      if (++column === rowLength) column = 0
    }
  }
  return alpha
}

/**
 * Converts an image to a PNG of color type 6 with eight bits, not interlaced. Its rows are one
 * byte, 0 for "no filter", and four bytes for each pixel. Without compression, the encoder applies
 * no filters, because they would not help.
 */
async function toPlainPng(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  try {
    return await new Bun.Image(bytes, { maxPixels: MAX_PIXELS })
      .png({ compressionLevel: 0 })
      .bytes()
  } catch {
    // Any decoder error means that the image is damaged.
    return undefined
  }
}

const IDAT = 0x49444154
/** Eight bits per sample, colour type 6: red, green, blue and alpha. */
const RGBA = 0x0806

/** Yields the rows as they are unpacked. */
function pixelData(png: Uint8Array): AsyncIterable<Buffer> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  if (view.getUint16(24) !== RGBA)
    throw new Error("the runtime's PNG encoder leaves out the alpha channel")
  const inflate = createInflate()
  for (let at = 8; at + 12 <= png.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) !== IDAT) continue
    inflate.write(png.subarray(at + 8, at + 8 + view.getUint32(at)))
  }
  inflate.end()
  return inflate as AsyncIterable<Buffer>
}
