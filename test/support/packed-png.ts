import { deflateSync } from "node:zlib"
import { chunk } from "./png.ts"

/** An image, and how it is packed into a PNG. */
export interface PackedPng {
  readonly width: number
  readonly height: number
  readonly colour: 0 | 2 | 3 | 4 | 6
  readonly depth: 1 | 2 | 4 | 8 | 16
  readonly isInterlaced?: boolean
  /** Returns the filter of a row; absent: 0, no filter. Only rows of whole bytes are filtered. */
  readonly filterOf?: (row: number) => number
  /** Returns the samples of a pixel, each below 2^depth. */
  readonly pixel: (x: number, y: number) => readonly number[]
  /** Chunks between the header and the pixels, such as `PLTE` and `tRNS`. */
  readonly chunks?: readonly Buffer[]
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** For each pass of Adam7, the start and the distance of its pixels, as in the figure of the specification. */
const ADAM7 = ["00 88", "40 88", "04 48", "20 44", "02 24", "10 22", "01 12"]

/** Creates a PNG by the specification, with any filter, interlaced or not. */
export function packPng(image: PackedPng): Uint8Array<ArrayBuffer> {
  const { width, height, colour, depth, isInterlaced = false, chunks = [] } = image
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, isInterlaced ? 1 : 0], 8)
  const passes = isInterlaced ? ADAM7 : ["00 11"]
  const rows = passes.flatMap((pass) => rowsOf(image, [...pass.replace(" ", "")].map(Number)))
  const half = Buffer.from(deflateSync(Buffer.concat(rows)))
  const cut = Math.floor(half.length / 2)
  return new Uint8Array(
    Buffer.concat([
      SIGNATURE,
      chunk("IHDR", header),
      ...chunks,
      chunk("IDAT", half.subarray(0, cut)),
      chunk("IDAT", half.subarray(cut)),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  )
}

function rowsOf(image: PackedPng, pass: readonly number[]): Buffer[] {
  const [left = 0, top = 0, right = 1, down = 1] = pass
  const { width, height, colour, depth, filterOf = () => 0, pixel } = image
  const step = Math.max(1, (SAMPLES[colour] * depth) / 8)
  const rows: Buffer[] = []
  let before: Buffer | undefined
  for (let y = top; y < height; y += down) {
    const samples: number[] = []
    for (let x = left; x < width; x += right) samples.push(...pixel(x, y))
    if (samples.length === 0) return []
    const raw = bytesOf(samples, depth)
    const filter = filterOf(y)
    rows.push(
      Buffer.from([filter]),
      filtered(raw, before ?? Buffer.alloc(raw.length), filter, step),
    )
    before = raw
  }
  return rows
}

function bytesOf(samples: readonly number[], depth: number): Buffer {
  const bits = samples.map((sample) => sample.toString(2).padStart(depth, "0")).join("")
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)))
}

function filtered(raw: Buffer, before: Buffer, filter: number, step: number): Buffer {
  return Buffer.from(
    raw.map((byte, index) => {
      const a = raw[index - step] ?? 0
      const b = before[index] ?? 0
      const c = before[index - step] ?? 0
      const predicted = [0, a, b, Math.floor((a + b) / 2), paeth(a, b, c)][filter] ?? 0
      return (byte - predicted + 256) % 256
    }),
  )
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c
  const [nearest = a] = [a, b, c].toSorted((one, other) => Math.abs(p - one) - Math.abs(p - other))
  return nearest
}
