import { inflateSync } from "node:zlib"

/** The pixels of an image, with eight bits per sample, and the number of samples per pixel. */
export interface Pixels {
  readonly width: number
  readonly height: number
  /** Whether the last sample of a pixel is its transparency. */
  readonly hasAlpha: boolean
  readonly samples: number
  readonly data: Uint8Array
}

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 }

/**
 * Reads the pixels of a PNG as simple encoders write it: eight bits, no palette, not interlaced, no filters. Returns
 * undefined for any other file.
 */
export function readPixels(bytes: Buffer): Pixels | undefined {
  if (bytes.length < 33 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  const [depth, colour = 0, , , interlace] = bytes.subarray(24, 29)
  const samples = SAMPLES[colour]
  if (depth !== 8 || interlace !== 0 || samples === undefined) return undefined
  const packed: Buffer[] = []
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") {
      packed.push(bytes.subarray(at + 8, at + 8 + length))
    }
  }
  const stride = width * samples
  const rows = inflateSync(Buffer.concat(packed))
  const data = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const at = y * (stride + 1)
    if (rows[at] !== 0) return undefined
    data.set(rows.subarray(at + 1, at + 1 + stride), y * stride)
  }
  return { width, height, hasAlpha: colour >= 4, samples, data }
}

/** Whether any pixel is transparent. */
export function isTransparent({ hasAlpha, samples, data }: Pixels): boolean {
  if (!hasAlpha) return false
  return data.some((value, index) => index % samples === samples - 1 && value < 255)
}
