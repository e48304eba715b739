import { promisify } from "node:util"
import { crc32, deflate } from "node:zlib"
import type { MaskStyle } from "../canon/image.ts"
import { type AlphaFault, readAlpha, type AlphaChannel } from "./png-alpha.ts"
import { PNG_SIGNATURE } from "./png.ts"

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
