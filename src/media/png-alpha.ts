import { createInflate } from "node:zlib"
import type { PngFault } from "./png.ts"

/** The opacity of each pixel of an image, row by row, from 0 (transparent) to 255 (opaque). */
export interface AlphaChannel {
  readonly width: number
  readonly height: number
  readonly alpha: Uint8Array<ArrayBuffer>
}

/** Reasons why the pixels of an image cannot be read, worded as the end of a sentence. */
export type AlphaFault = PngFault | "it has too many pixels"

/**
 * Maximum number of pixels. It is the limit in Stability's reference for `edit/inpaint`, and no vendor accepts more in
 * an image to edit.
 */
const MAX_PIXELS = 9_437_184

/**
 * The previous decompression. Only one image is decompressed at a time, because that takes up to 140 MB.
 */
let previous: Promise<unknown> = Promise.resolve()

/**
 * Decompresses the alpha channel of a PNG that `readPng` has found valid. Most of the work runs on a thread of the
 * runtime. The rest yields to other work.
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

/** Ignores the result of the previous image. */
function noResult(): void {}

/** Returns the alpha channel; undefined if the image cannot be decoded. */
async function unpackAlpha(
  bytes: Uint8Array<ArrayBuffer>,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const plain = await toPlainPng(bytes)
  if (plain === undefined) return undefined
  const alpha = new Uint8Array(width * height)
  const rowLength = 1 + 4 * width
  // A row starts with its filter type. Every fourth byte after it is an alpha value.
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
 * Converts an image to a PNG that is easy to read: color type 6, eight bits, not interlaced. Each row is one byte, 0
 * for "no filter", and four bytes for each pixel. Without compression, the encoder applies no filters, because they
 * would not help.
 */
async function toPlainPng(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  try {
    return await new Bun.Image(bytes, { maxPixels: MAX_PIXELS })
      .png({ compressionLevel: 0 })
      .bytes()
  } catch {
    // Any error of the decoder means that the image is damaged.
    return undefined
  }
}

const IDAT = 0x49444154
/** Eight bits per sample, and color type 6: red, green, blue and alpha. */
const RGBA = 0x0806

/** Yields the bytes of the rows while they are unpacked. */
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
