import { correctionWords } from "./error-correction.ts"
import { QrGrid } from "./qr-grid.ts"

/** Of each version at level M: words of correction in a block, and blocks. ISO/IEC 18004, table 9. */
const BLOCKS: readonly (readonly [words: number, blocks: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
]

/**
 * A text as a QR code, its rows from the top, true where it is dark. The rim around it is the caller's.
 * @throws RangeError when the text has more than some four hundred bytes.
 */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const bytes = [...new TextEncoder().encode(text)]
  const version = versionFor(bytes.length)
  const grid = new QrGrid(version)
  grid.drawData(interleave(pad(bytes, version), version))
  let best = 0
  let least = Infinity
  for (let mask = 0; mask < 8; mask++) {
    grid.applyMask(mask)
    grid.drawFormat(mask)
    const cost = penalty(grid)
    if (cost < least) [best, least] = [mask, cost]
    grid.applyMask(mask)
  }
  grid.applyMask(best)
  grid.drawFormat(best)
  return grid.rows
}

function versionFor(length: number): number {
  for (let version = 1; version <= BLOCKS.length; version++) {
    if (length * 8 + 4 + lengthBits(version) <= dataWords(version) * 8) return version
  }
  throw new RangeError(`${length} bytes are too many for a QR code of this kind`)
}

function lengthBits(version: number): number {
  return version < 10 ? 8 : 16
}

function blocksOf(version: number): readonly [words: number, blocks: number] {
  const found = BLOCKS[version - 1]
  if (found === undefined) throw new RangeError(`There is no version ${version}`)
  return found
}

/** All words that fit: what the square has left beside its patterns. */
function allWords(version: number): number {
  let bits = (16 * version + 128) * version + 64
  if (version >= 2) {
    const places = Math.floor(version / 7) + 2
    bits -= (25 * places - 10) * places - 55
    if (version >= 7) bits -= 36
  }
  return Math.floor(bits / 8)
}

function dataWords(version: number): number {
  const [words, blocks] = blocksOf(version)
  return allWords(version) - words * blocks
}

/** Mode, length, bytes, end, and words that fill the rest. */
function pad(bytes: readonly number[], version: number): number[] {
  const bits: number[] = []
  const append = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  append(4, 4)
  append(bytes.length, lengthBits(version))
  for (const byte of bytes) append(byte, 8)
  const capacity = dataWords(version) * 8
  append(0, Math.min(4, capacity - bits.length))
  append(0, (8 - (bits.length % 8)) % 8)
  for (let filler = 0xec; bits.length < capacity; filler ^= 0xec ^ 0x11) append(filler, 8)
  return Array.from({ length: bits.length / 8 }, (_, word) =>
    bits.slice(word * 8, word * 8 + 8).reduce((value, bit) => (value << 1) | bit, 0),
  )
}

/** Cuts the data into blocks, adds each one's correction, and mixes them: a blot then harms each a little. */
function interleave(data: readonly number[], version: number): number[] {
  const [words, count] = blocksOf(version)
  const short = Math.floor(data.length / count)
  const shortBlocks = count - (data.length % count)
  const blocks: number[][] = []
  let from = 0
  for (let block = 0; block < count; block++) {
    const to = from + short + (block < shortBlocks ? 0 : 1)
    blocks.push(data.slice(from, to))
    from = to
  }
  return [...mix(blocks), ...mix(blocks.map((block) => correctionWords(block, words)))]
}

function mix(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length))
  return Array.from({ length: longest }, (_, index) =>
    blocks.flatMap((block) => block.slice(index, index + 1)),
  ).flat()
}

const FINDER_LIKE = /(?=10111010000|00001011101)/g

/** How hard a reader would find it: ISO/IEC 18004, 7.8.3. */
function penalty(grid: QrGrid): number {
  const { size, rows } = grid
  const across = rows.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""))
  const down = across.map((_, x) => across.map((row) => row[x] ?? "").join(""))
  let cost = 0
  for (const line of [...across, ...down]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) cost += run.length - 2
    cost += 40 * [...line.matchAll(FINDER_LIKE)].length
  }
  for (let y = 0; y + 1 < size; y++) {
    for (let x = 0; x + 1 < size; x++) {
      const isDark = grid.isDark(x, y)
      const isBlock =
        isDark === grid.isDark(x + 1, y) &&
        isDark === grid.isDark(x, y + 1) &&
        isDark === grid.isDark(x + 1, y + 1)
      if (isBlock) cost += 3
    }
  }
  const dark = across.join("").replaceAll("0", "").length
  const away = Math.abs((dark / (size * size)) * 20 - 10)
  return cost + Math.floor(away) * 10
}
