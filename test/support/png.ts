import { crc32, deflateSync } from "node:zlib"

/** How a test PNG differs from the default: gray-scale with alpha, eight bits. */
export interface PngOptions {
  /** Color type: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA. */
  readonly colour?: number
  /** Chunks between the header and the pixels. */
  readonly chunks?: readonly Buffer[]
  /** Minimum number of bytes, reached with a padding chunk. */
  readonly bytes?: number
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Returns a valid PNG. Its pixels are all zero, so an image with alpha is fully transparent. */
export function png(
  width: number,
  height: number,
  options: PngOptions = {},
): Uint8Array<ArrayBuffer> {
  const { colour = 6, chunks = [], bytes = 0 } = options
  const rows = Buffer.alloc((1 + width * (SAMPLES[colour] ?? 4)) * height)
  const palette = colour === 3 ? [chunk("PLTE", Buffer.alloc(3))] : []
  const parts = [
    SIGNATURE,
    header(width, height, colour),
    ...palette,
    ...chunks,
    chunk("IDAT", deflateSync(rows)),
  ]
  const end = chunk("IEND", Buffer.alloc(0))
  const missing = bytes - Buffer.concat([...parts, end]).byteLength - 12
  if (missing >= 0) parts.push(chunk("prIv", Buffer.alloc(missing, 1)))
  return new Uint8Array(Buffer.concat([...parts, end]))
}

/** Returns the header chunk. */
export function header(width: number, height: number, colour: number, depth = 8): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, colour, 0, 0, 0], 8)
  return chunk("IHDR", data)
}

/** Returns one chunk with its checksum. */
export function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.byteLength)
  framed.writeUInt32BE(data.byteLength, 0)
  framed.write(type, 4, "latin1")
  data.copy(framed, 8)
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.byteLength)), 8 + data.byteLength)
  return framed
}

/** Returns a PNG as a file of a form. */
export function pngFile(bytes: Uint8Array<ArrayBuffer>, name = "image.png"): File {
  return new File([bytes], name, { type: "image/png" })
}
