import { crc32, deflateSync } from "node:zlib"

/** Size of an image in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Number of blocks across and down an image. */
const BLOCKS = 8
const COLOURS = 16

/** Draws a PNG of colored blocks that depend only on the text, so the same prompt gives the same image. */
export function drawPng(text: string, { width, height }: Size): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const digest = digestOf(text)
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", digest.subarray(0, COLOURS * 3)),
    chunk("IDAT", deflateSync(rowsOf(digest, width, height), { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** Returns a hash of 64 bytes, which is enough for the colors and their positions. */
function digestOf(text: string): Buffer {
  return new Bun.CryptoHasher("sha512").update(text).digest()
}

/** Returns the rows of the image. Each row begins with its filter type, here 0 (no filter). */
function rowsOf(digest: Buffer, width: number, height: number): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    const blockRow = Math.floor((y * BLOCKS) / height)
    for (let block = 0; block < BLOCKS; block++) {
      const colour = (digest[blockRow * BLOCKS + block] ?? 0) % COLOURS
      const from = Math.ceil((block * width) / BLOCKS)
      const to = Math.ceil(((block + 1) * width) / BLOCKS)
      rows.fill(colour, y * (width + 1) + 1 + from, y * (width + 1) + 1 + to)
    }
  }
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const name = Buffer.from(type, "latin1")
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(Buffer.concat([name, data])))
  return Buffer.concat([length, name, data, sum])
}

/** Parses a size such as `1024x1024`; undefined if it is invalid. */
export function sizeOf(name: string): Size | undefined {
  const [, width, height] = /^(\d{1,4})x(\d{1,4})$/.exec(name) ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

const AREA = 1024 * 1024

/** Returns a size of about a million pixels with an aspect ratio such as `16:9`, as vendors with ratios do. */
export function sizeOfRatio(ratio: string): Size | undefined {
  const [, wide, high] = /^(\d{1,2}):(\d{1,2})$/.exec(ratio) ?? []
  if (wide === undefined) return undefined
  const proportion = Number(wide) / Number(high)
  const side = (length: number): number => Math.round(length / 16) * 16
  return { width: side(Math.sqrt(AREA * proportion)), height: side(Math.sqrt(AREA / proportion)) }
}
