import { promisify } from "node:util"
import { crc32, deflate, createInflate } from "node:zlib"
import type { MaskStyle } from "../canon/image.ts"
import { PNG_SIGNATURE, type PngFault } from "./png.ts"

const pack = promisify(deflate)

export type DrawnStyle = Exclude<MaskStyle, "transparent">

/** A grayscale PNG, or the reason why it could not be drawn. */
export type DrawnMask = Uint8Array<ArrayBuffer> | AlphaFault

/**
 * Draws a mask for a vendor whose masks use black and white. It runs on a worker thread.
 * @param mask a complete PNG whose transparent pixels may change.
 */
export async function drawMask(mask: {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly style: DrawnStyle
}): Promise<DrawnMask> {
  const channel = await readAlpha(mask.bytes)
  return typeof channel === "string" ? channel : greyPng(channel, SHADES[mask.style])
}

/** Returns the shade of a pixel from its opacity. */
const SHADES: Readonly<Record<DrawnStyle, (alpha: number) => number>> = {
  // The whiter a pixel is, the more it may change.
  white: (alpha) => 255 - alpha,
  // Only pure black and pure white are accepted, so half-transparent pixels become the nearer of the two.
  black: (alpha) => (alpha < 128 ? 0 : 255),
}

async function greyPng(
  { width, height, alpha }: AlphaChannel,
  shade: (alpha: number) => number,
): Promise<Uint8Array<ArrayBuffer>> {
  const shades = Uint8Array.from({ length: 256 }, (_, value) => shade(value))
  // Each row starts with its filter type, which is 0 (no filter).
  const rows = new Uint8Array((width + 1) * height)
  for (let y = 0; y < height; y++) {
    const from = y * width
    const to = y * (width + 1) + 1
    for (let x = 0; x < width; x++) rows[to + x] = shades[alpha[from + x] ?? 255] ?? 255
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Bit depth 8, and color type 0 (grayscale).
  header.set([8, 0, 0, 0, 0], 8)
  const pixels = await pack(rows)
  return new Uint8Array(
    Buffer.concat([
      PNG_SIGNATURE,
      chunk("IHDR", header),
      chunk("IDAT", pixels),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  )
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length)
  framed.writeUInt32BE(data.length, 0)
  framed.write(type, 4, "latin1")
  data.copy(framed, 8)
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length)
  return framed
}

/** The opacity of each pixel of an image, row by row, from 0 (transparent) to 255 (opaque). */
interface AlphaChannel {
  readonly width: number
  readonly height: number
  readonly alpha: Uint8Array<ArrayBuffer>
}

/** Reasons why the pixels of an image cannot be read, worded as the end of a sentence. */
type AlphaFault = PngFault | "it has too many pixels"

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
