import { createInflate } from "node:zlib"
import type { PngFault } from "./png.ts"

/** How opaque each pixel of an image is, row after row: 0 is see-through, 255 hides what is below. */
export interface AlphaChannel {
  readonly width: number
  readonly height: number
  readonly alpha: Uint8Array<ArrayBuffer>
}

/** Why an image's pixels are not read, as the end of a sentence. */
export type AlphaFault = PngFault | "it has too many pixels"

/**
 * The most pixels that are read: more than any vendor takes in an image to edit (Stability's reference
 * of `edit/inpaint` has this number).
 */
const MAX_PIXELS = 9_437_184

/** What is needed of a PNG to read its pixels. */
interface Layout {
  readonly width: number
  readonly height: number
  /** Bits of a sample. */
  readonly depth: number
  readonly colour: number
  readonly isInterlaced: boolean
  /** The `tRNS` chunk. */
  readonly transparency: Uint8Array | undefined
  readonly packed: Uint8Array
}

/**
 * Unpacks the alpha channel of a PNG that `readPng` has found whole. Only a row is unpacked at a time,
 * and others get their turn in between, so that neither memory nor anyone else's request pays for it.
 */
export async function readAlpha(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<AlphaChannel | AlphaFault> {
  const layout = layoutOf(bytes)
  const { width, height } = layout
  if (width * height > MAX_PIXELS) return "it has too many pixels"
  const alpha = new Uint8Array(width * height)
  const step = Math.max(1, (SAMPLES[layout.colour] ?? 1) * (layout.depth / 8))
  const rows = rowsOf(layout)
  let before: Uint8Array<ArrayBuffer> = new Uint8Array()
  try {
    for await (const { row, line } of linesOf(layout.packed, rows)) {
      if (row.isFirst) before = new Uint8Array(line.length)
      if (!unfilter(line, before, step)) return "one of its parts is damaged"
      before = line
      writeAlpha(layout, line, row, alpha)
    }
  } catch {
    // What zlib cannot unpack is damaged, however it says so.
    return "one of its parts is damaged"
  }
  return { width, height, alpha }
}

const IHDR = 0x49484452
const TRNS = 0x74524e53
const IDAT = 0x49444154
const IEND = 0x49454e44

function layoutOf(bytes: Uint8Array<ArrayBuffer>): Layout {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let header = new DataView(new ArrayBuffer(13))
  let transparency: Uint8Array | undefined
  const packed: Uint8Array[] = []
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at)
    const type = view.getUint32(at + 4)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (type === IHDR) header = new DataView(data.buffer, data.byteOffset, length)
    else if (type === TRNS) transparency = data
    else if (type === IDAT) packed.push(data)
    else if (type === IEND) break
    at += 12 + length
  }
  return {
    width: header.getUint32(0),
    height: header.getUint32(4),
    depth: header.getUint8(8),
    colour: header.getUint8(9),
    isInterlaced: header.getUint8(12) === 1,
    transparency,
    packed: Buffer.concat(packed),
  }
}

/** Samples of a pixel by colour type (PNG specification, table 11.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Where the pixels of a pass stand: from `x`, `y` on, each so far from the one before. */
interface Pass {
  readonly x: number
  readonly y: number
  readonly right: number
  readonly down: number
}

const WHOLE: Pass = { x: 0, y: 0, right: 1, down: 1 }

/** Adam7 (PNG specification, section 8.2). */
const INTERLACED: readonly Pass[] = [
  { x: 0, y: 0, right: 8, down: 8 },
  { x: 4, y: 0, right: 8, down: 8 },
  { x: 0, y: 4, right: 4, down: 8 },
  { x: 2, y: 0, right: 4, down: 4 },
  { x: 0, y: 2, right: 2, down: 4 },
  { x: 1, y: 0, right: 2, down: 2 },
  { x: 0, y: 1, right: 1, down: 2 },
]

/** A row as it is stored. */
interface Row extends Pass {
  readonly isFirst: boolean
  readonly pixels: number
  /** Bytes, the filter's among them. */
  readonly length: number
}

function* rowsOf({ width, height, depth, colour, isInterlaced }: Layout): Generator<Row> {
  for (const pass of isInterlaced ? INTERLACED : [WHOLE]) {
    const pixels = Math.ceil((width - pass.x) / pass.right)
    if (pixels <= 0) continue
    const length = 1 + Math.ceil((pixels * (SAMPLES[colour] ?? 1) * depth) / 8)
    for (let y = pass.y; y < height; y += pass.down) {
      yield { ...pass, y, isFirst: y === pass.y, pixels, length }
    }
  }
}

interface Line {
  readonly row: Row
  /** Its filter, then its pixels. */
  readonly line: Uint8Array<ArrayBuffer>
}

/** Cuts what is unpacked into rows, and stops when there are enough. */
async function* linesOf(packed: Uint8Array, rows: Iterator<Row>): AsyncGenerator<Line> {
  const inflate = createInflate()
  inflate.end(packed)
  let row = rows.next().value as Row | undefined
  let line = new Uint8Array(row?.length ?? 0)
  let filled = 0
  for await (const chunk of inflate as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length && row;) {
      const part = chunk.subarray(at, at + line.length - filled)
      line.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < line.length) continue
      yield { row, line }
      row = rows.next().value as Row | undefined
      line = new Uint8Array(row?.length ?? 0)
      filled = 0
    }
    if (!row) return
  }
  throw new Error("the picture has fewer rows than its header says")
}

/** What a filter adds to a byte, from the bytes to the left, above, and above to the left. */
type Predictor = (left: number, up: number, upLeft: number) => number

/** PNG specification, section 9.2. */
const PREDICTORS: readonly Predictor[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, upLeft) => {
    const toLeft = Math.abs(up - upLeft)
    const toUp = Math.abs(left - upLeft)
    const toUpLeft = Math.abs(left + up - 2 * upLeft)
    if (toLeft <= toUp && toLeft <= toUpLeft) return left
    return toUp <= toUpLeft ? up : upLeft
  },
]

/** Takes a row's filter back. @returns whether there is such a filter. */
function unfilter(line: Uint8Array, before: Uint8Array, step: number): boolean {
  const filter = line[0] ?? 0
  const predict = PREDICTORS[filter]
  if (!predict) return false
  if (filter === 0) return true
  for (let at = 1; at < line.length; at++) {
    const isInside = at > step
    const left = isInside ? (line[at - step] ?? 0) : 0
    const upLeft = isInside ? (before[at - step] ?? 0) : 0
    line[at] = (line[at] ?? 0) + predict(left, before[at] ?? 0, upLeft)
  }
  return true
}

function writeAlpha(layout: Layout, line: Uint8Array, row: Row, alpha: Uint8Array): void {
  const start = row.y * layout.width + row.x
  const read = readerOf(layout)
  for (let pixel = 0; pixel < row.pixels; pixel++) {
    alpha[start + pixel * row.right] = read(line, pixel)
  }
}

/** How opaque a pixel of a row is. */
type AlphaReader = (line: Uint8Array, pixel: number) => number

function readerOf({ colour, depth, transparency }: Layout): AlphaReader {
  const bytes = depth / 8
  switch (colour) {
    case 6:
      return (line, pixel) => line[1 + (pixel * 4 + 3) * bytes] ?? 255
    case 4:
      return (line, pixel) => line[1 + (pixel * 2 + 1) * bytes] ?? 255
    case 3:
      return (line, pixel) => transparency?.[sampleAt(line, pixel, depth)] ?? 255
    default:
      return keyedReader(SAMPLES[colour] ?? 1, depth, transparency)
  }
}

/** One colour is see-through, all others are not. Its samples are of two bytes each, whatever the depth. */
function keyedReader(
  samples: number,
  depth: number,
  transparency: Uint8Array | undefined,
): AlphaReader {
  if (transparency === undefined || transparency.length < 2 * samples) return () => 255
  const key = Array.from(
    { length: samples },
    (_, index) => (transparency[2 * index] ?? 0) * 256 + (transparency[2 * index + 1] ?? 0),
  )
  return (line, pixel) =>
    key.every((value, index) => sampleAt(line, pixel * samples + index, depth) === value) ? 0 : 255
}

/** A sample of a row. */
function sampleAt(line: Uint8Array, index: number, depth: number): number {
  if (depth === 16) return (line[1 + 2 * index] ?? 0) * 256 + (line[2 + 2 * index] ?? 0)
  const bit = index * depth
  const byte = line[1 + (bit >> 3)] ?? 0
  return (byte >> (8 - depth - (bit & 7))) & ((1 << depth) - 1)
}
