import type { Column } from "./column.ts"

const HALF = 2 ** 32
const BITS = 32n
/** Maximum number of 32-bit numbers that are added before sums are carried, so that sums stay exact. */
const MAX_ADDED = 2 ** 20

/** Entries to add. Each has the row of a request in its segment, and the group in which the request counts. */
export interface Entries {
  readonly rows: Int32Array
  /** The index of each entry's group. */
  readonly slots: Int32Array
  readonly length: number
}

/**
 * Sums of 64-bit integers. Each sum consists of two numbers below 2^53, for its upper and lower half. Adding with
 * `bigint` would allocate memory, which takes fifty times as long.
 */
export class ExactSums {
  /** The arrays of sums, which are replaced when they have to grow. */
  lower = new Float64Array(1_024)
  upper = new Float64Array(1_024)
  #added = 0

  /** Enlarges the arrays so that they hold at least `count` sums. */
  grow(count: number): void {
    if (count <= this.lower.length) return
    const length = Math.max(count, this.lower.length * 2)
    this.lower = grown(this.lower, length)
    this.upper = grown(this.upper, length)
  }

  /** Must be called before `added` 32-bit numbers are added to the lower halves. */
  expect(added: number): void {
    this.#added += added
    if (this.#added > MAX_ADDED) this.carry()
  }

  /** Adds a column's numbers to the sums of their groups. */
  add(column: Column | undefined, { rows, slots, length }: Entries): void {
    if (column === undefined) return
    this.expect(length)
    const { lower } = this
    const numbers = column.lower
    for (let entry = 0; entry < length; entry++) {
      const slot = slots[entry] ?? 0
      lower[slot] = (lower[slot] ?? 0) + (numbers[rows[entry] ?? 0] ?? 0)
    }
    this.addUpper(column, { rows, slots, length }, { width: 1, place: 0 })
  }

  /**
   * Adds only the upper halves.
   * @param layout the number of sums per group, and the sum in each group to add to.
   */
  addUpper(
    column: Column | undefined,
    { rows, slots, length }: Entries,
    { width, place }: { readonly width: number; readonly place: number },
  ): void {
    const halves = column?.upper
    if (halves === undefined) return
    const { upper } = this
    for (let entry = 0; entry < length; entry++) {
      const sum = (slots[entry] ?? 0) * width + place
      upper[sum] = (upper[sum] ?? 0) + (halves[rows[entry] ?? 0] ?? 0)
    }
  }

  /**
   * Counts the entries with a flag.
   * @param flags if absent, all entries count.
   */
  count({ rows, slots, length }: Entries, flags?: Uint32Array, flag = 0): void {
    this.expect(length)
    const { lower } = this
    for (let entry = 0; entry < length; entry++) {
      const slot = slots[entry] ?? 0
      const isCounted = flags === undefined || ((flags[rows[entry] ?? 0] ?? 0) & flag) !== 0
      if (isCounted) lower[slot] = (lower[slot] ?? 0) + 1
    }
  }

  at(place: number): bigint {
    return (BigInt(this.upper[place] ?? 0) << BITS) + BigInt(this.lower[place] ?? 0)
  }

  /** Compares two sums for sorting. It must be called after `carry`, and before anything is added. */
  compare(left: number, right: number): number {
    const upper = (this.upper[left] ?? 0) - (this.upper[right] ?? 0)
    return upper === 0 ? (this.lower[left] ?? 0) - (this.lower[right] ?? 0) : upper
  }

  /** Moves the overflow of the lower halves to the upper halves. */
  carry(): void {
    const { lower, upper } = this
    for (let place = 0; place < lower.length; place++) {
      const sum = lower[place] ?? 0
      if (sum < HALF) continue
      const over = Math.floor(sum / HALF)
      lower[place] = sum - over * HALF
      upper[place] = (upper[place] ?? 0) + over
    }
    this.#added = 0
  }
}

/** Returns the differences of the first `count` sums, ready for `compare`. */
export function differenceOf(more: ExactSums, less: ExactSums, count: number): ExactSums {
  more.grow(count)
  less.grow(count)
  more.carry()
  less.carry()
  const difference = new ExactSums()
  difference.grow(count)
  for (let place = 0; place < count; place++) {
    const lower = (more.lower[place] ?? 0) - (less.lower[place] ?? 0)
    const borrowed = lower < 0 ? 1 : 0
    difference.lower[place] = lower + borrowed * HALF
    difference.upper[place] = (more.upper[place] ?? 0) - (less.upper[place] ?? 0) - borrowed
  }
  return difference
}

function grown(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length)
  larger.set(numbers)
  return larger
}
