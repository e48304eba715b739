import type { Column } from "./column.ts"

const HALF = 2 ** 32
const BITS = 32n
/** Numbers of 32 bits that are added before sums are carried: less than this of them keeps a sum exact. */
const MOST_ADDED = 2 ** 20

/** Which requests of a segment count, and for which sum each: entry by entry. */
export interface Entries {
  readonly rows: Int32Array
  readonly slots: Int32Array
  readonly length: number
}

/**
 * Sums of 64 bits, one for each slot. Each is kept as two whole numbers below 2^53, its upper and its lower half: adding
 * a `bigint` makes a new one, which costs fifty times as much.
 */
export class ExactSums {
  #lower = new Float64Array(1_024)
  #upper = new Float64Array(1_024)
  #added = 0

  /** Adds a column's numbers. */
  add(column: Column | undefined, { rows, slots, length }: Entries): void {
    if (column === undefined) return
    this.#count(length)
    if (column instanceof BigInt64Array) this.#addWide(column, { rows, slots, length })
    else {
      const lower = this.#lower
      for (let entry = 0; entry < length; entry++) {
        const slot = slots[entry] ?? 0
        lower[slot] = (lower[slot] ?? 0) + (column[rows[entry] ?? 0] ?? 0)
      }
    }
  }

  #addWide(column: BigInt64Array, { rows, slots, length }: Entries): void {
    const [lower, upper] = [this.#lower, this.#upper]
    const low = new Uint32Array(column.buffer, column.byteOffset, column.length * 2)
    const high = new Int32Array(column.buffer, column.byteOffset, column.length * 2)
    for (let entry = 0; entry < length; entry++) {
      const slot = slots[entry] ?? 0
      const place = (rows[entry] ?? 0) * 2
      lower[slot] = (lower[slot] ?? 0) + (low[place] ?? 0)
      upper[slot] = (upper[slot] ?? 0) + (high[place + 1] ?? 0)
    }
  }

  /** Counts those that have a flag. @param flag absent: all. */
  count(flags: Uint32Array, { rows, slots, length }: Entries, flag?: number): void {
    this.#count(length)
    const lower = this.#lower
    for (let entry = 0; entry < length; entry++) {
      const slot = slots[entry] ?? 0
      const counts = flag === undefined || ((flags[rows[entry] ?? 0] ?? 0) & flag) !== 0
      if (counts) lower[slot] = (lower[slot] ?? 0) + 1
    }
  }

  /** Makes room. @param slots how many there are. */
  grow(slots: number): void {
    if (slots <= this.#lower.length) return
    const length = Math.max(slots, this.#lower.length * 2)
    this.#lower = grown(this.#lower, length)
    this.#upper = grown(this.#upper, length)
  }

  at(slot: number): bigint {
    return (BigInt(this.#upper[slot] ?? 0) << BITS) + BigInt(this.#lower[slot] ?? 0)
  }

  /** Compares two sums, as sorting does. Expects that nothing was added since `carry`. */
  compare(left: number, right: number): number {
    const upper = (this.#upper[left] ?? 0) - (this.#upper[right] ?? 0)
    return upper === 0 ? (this.#lower[left] ?? 0) - (this.#lower[right] ?? 0) : upper
  }

  /** Takes what a lower half has too much to the upper one. */
  carry(): void {
    const [lower, upper] = [this.#lower, this.#upper]
    for (let slot = 0; slot < lower.length; slot++) {
      const sum = lower[slot] ?? 0
      if (sum < HALF) continue
      const over = Math.floor(sum / HALF)
      lower[slot] = sum - over * HALF
      upper[slot] = (upper[slot] ?? 0) + over
    }
    this.#added = 0
  }

  #count(length: number): void {
    this.#added += length
    if (this.#added > MOST_ADDED) this.carry()
  }
}

function grown(numbers: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length)
  larger.set(numbers)
  return larger
}
