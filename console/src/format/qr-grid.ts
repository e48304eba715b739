/** The square of a QR code while it is drawn: ISO/IEC 18004, sections 6.3, 7.7 to 7.10. */
export class QrGrid {
  readonly size: number
  readonly #dark: boolean[][]
  /** What belongs to the pattern itself and holds no data. */
  readonly #fixed: boolean[][]

  constructor(version: number) {
    this.size = version * 4 + 17
    this.#dark = square(this.size)
    this.#fixed = square(this.size)
    this.#drawTiming()
    for (const [x, y] of [
      [3, 3],
      [this.size - 4, 3],
      [3, this.size - 4],
    ] as const) {
      this.#drawFinder(x, y)
    }
    this.#drawAlignment(version)
    this.drawFormat(0)
    this.#drawVersion(version)
  }

  /** The rows, true where it is dark. */
  get rows(): readonly (readonly boolean[])[] {
    return this.#dark
  }

  isDark(x: number, y: number): boolean {
    return this.#dark[y]?.[x] ?? false
  }

  /** Fills the free places with bits, two columns at a time, up and down in turn from the right. */
  drawData(words: readonly number[]): void {
    let bit = 0
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5
      const isUpward = ((right + 1) & 2) === 0
      for (let step = 0; step < this.size; step++) {
        const y = isUpward ? this.size - 1 - step : step
        for (const x of [right, right - 1]) {
          if (this.#isFixed(x, y) || bit >= words.length * 8) continue
          const word = words[bit >>> 3] ?? 0
          this.#put(x, y, ((word >>> (7 - (bit & 7))) & 1) === 1)
          bit++
        }
      }
    }
  }

  /** Inverts the data where the mask's rule holds. The same again takes it back. */
  applyMask(mask: number): void {
    const rule = MASKS[mask]
    if (rule === undefined) throw new RangeError(`There is no mask ${mask}`)
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) {
        if (!this.#isFixed(x, y) && rule(x, y)) this.#put(x, y, !this.isDark(x, y))
      }
    }
  }

  /** Writes the level of correction (M, whose bits are 00) and the mask, twice. */
  drawFormat(mask: number): void {
    let rest = mask
    for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
    const bits = ((mask << 10) | rest) ^ 0x5412
    const bit = (index: number) => ((bits >>> index) & 1) === 1
    for (let index = 0; index <= 5; index++) this.#fix(8, index, bit(index))
    this.#fix(8, 7, bit(6))
    this.#fix(8, 8, bit(7))
    this.#fix(7, 8, bit(8))
    for (let index = 9; index < 15; index++) this.#fix(14 - index, 8, bit(index))
    for (let index = 0; index < 8; index++) this.#fix(this.size - 1 - index, 8, bit(index))
    for (let index = 8; index < 15; index++) this.#fix(8, this.size - 15 + index, bit(index))
    this.#fix(8, this.size - 8, true)
  }

  #drawVersion(version: number): void {
    if (version < 7) return
    let rest = version
    for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
    const bits = (version << 12) | rest
    for (let index = 0; index < 18; index++) {
      const isDark = ((bits >>> index) & 1) === 1
      const near = Math.floor(index / 3)
      const far = this.size - 11 + (index % 3)
      this.#fix(far, near, isDark)
      this.#fix(near, far, isDark)
    }
  }

  #drawTiming(): void {
    for (let index = 0; index < this.size; index++) {
      this.#fix(6, index, index % 2 === 0)
      this.#fix(index, 6, index % 2 === 0)
    }
  }

  #drawFinder(x: number, y: number): void {
    for (let down = -4; down <= 4; down++) {
      for (let across = -4; across <= 4; across++) {
        const ring = Math.max(Math.abs(across), Math.abs(down))
        this.#fix(x + across, y + down, ring !== 2 && ring !== 4)
      }
    }
  }

  #drawAlignment(version: number): void {
    const places = alignmentPlaces(version, this.size)
    const last = places.length - 1
    places.forEach((x, column) => {
      places.forEach((y, row) => {
        const isFinder =
          (column === 0 && row === 0) ||
          (column === 0 && row === last) ||
          (column === last && row === 0)
        if (isFinder) return
        for (let down = -2; down <= 2; down++) {
          for (let across = -2; across <= 2; across++) {
            const ring = Math.max(Math.abs(across), Math.abs(down))
            this.#fix(x + across, y + down, ring !== 1)
          }
        }
      })
    })
  }

  #isFixed(x: number, y: number): boolean {
    return this.#fixed[y]?.[x] ?? true
  }

  #fix(x: number, y: number, isDark: boolean): void {
    const row = this.#fixed[y]
    if (row?.[x] === undefined) return
    row[x] = true
    this.#put(x, y, isDark)
  }

  #put(x: number, y: number, isDark: boolean): void {
    const row = this.#dark[y]
    if (row !== undefined) row[x] = isDark
  }
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const places = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step)
  return [6, ...places.toReversed()]
}

function square(size: number): boolean[][] {
  return Array.from({ length: size }, () => Array.from({ length: size }, () => false))
}
