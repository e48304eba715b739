import type { UsageOrder } from "../requests.ts"
import type { SumRow } from "../usage-sums.ts"
import { type Entries, ExactSums } from "./exact-sums.ts"
import { AMOUNT_COLUMNS, FLAG, type Segment } from "./segment.ts"

/** Number of sums per group: four counts, followed by the sums of `AMOUNT_COLUMNS`. */
const WIDTH = 11
const COUNTS = 4

/** All sums of groups. */
export class GroupSums {
  readonly #sums = new ExactSums()

  /**
   * Adds the entries of a segment.
   * @param groups number of groups.
   */
  add(segment: Segment, entries: Entries, groups: number): void {
    const { rows, slots, length } = entries
    if (length === 0) return
    this.#sums.grow(groups * WIDTH)
    this.#sums.expect(length)
    const { lower: sums } = this.#sums
    const flags = segment.words("flags")
    const [input, output] = [segment.words("input"), segment.words("output")]
    const [cost, writtenOff] = [segment.words("cost"), segment.words("written_off")]
    const providerCost = segment.words("provider_cost")
    const [duration, firstByte] = [segment.words("duration"), segment.words("first_byte")]
    // A single loop adds all sums, because memory access to a group's sums takes most of the time.
    for (let entry = 0; entry < length; entry++) {
      const row = rows[entry] ?? 0
      const flag = flags[row] ?? 0
      const at = (slots[entry] ?? 0) * WIDTH
      sums[at] = (sums[at] ?? 0) + 1
      sums[at + 1] = (sums[at + 1] ?? 0) + (flag & FLAG.failed)
      sums[at + 2] = (sums[at + 2] ?? 0) + ((flag & FLAG.hasDuration) >> 1)
      sums[at + 3] = (sums[at + 3] ?? 0) + ((flag & FLAG.hasFirstByte) >> 2)
      sums[at + 4] = (sums[at + 4] ?? 0) + (input[row] ?? 0)
      sums[at + 5] = (sums[at + 5] ?? 0) + (output[row] ?? 0)
      sums[at + 6] = (sums[at + 6] ?? 0) + (cost[row] ?? 0)
      sums[at + 7] = (sums[at + 7] ?? 0) + (writtenOff[row] ?? 0)
      sums[at + 8] = (sums[at + 8] ?? 0) + (providerCost[row] ?? 0)
      sums[at + 9] = (sums[at + 9] ?? 0) + (duration[row] ?? 0)
      sums[at + 10] = (sums[at + 10] ?? 0) + (firstByte[row] ?? 0)
    }
    for (const [place, name] of AMOUNT_COLUMNS.entries()) {
      this.#sums.addUpper(segment.column(name), entries, { width: WIDTH, place: COUNTS + place })
    }
  }

  of(slot: number): Omit<SumRow, "name"> {
    const sum = (place: number): bigint => this.#sums.at(slot * WIDTH + place)
    return {
      requests: sum(0),
      errors: sum(1),
      durations: sum(2),
      first_bytes: sum(3),
      input: sum(4),
      output: sum(5),
      cost: sum(6),
      written_off: sum(7),
      provider_cost: sum(8),
      duration: sum(9),
      first_byte: sum(10),
    }
  }
}

/** The sums by which groups are ranked. Among equal groups, the most expensive comes first. */
export class RankSums {
  readonly #order: UsageOrder
  readonly #rank = new ExactSums()
  readonly #cost = new ExactSums()

  constructor(order: UsageOrder) {
    this.#order = order
  }

  /**
   * Adds the entries of a segment.
   * @param groups number of groups.
   */
  add(segment: Segment, entries: Entries, groups: number): void {
    if (entries.length === 0) return
    this.#rank.grow(groups)
    this.#cost.grow(groups)
    this.#cost.add(segment.column("cost"), entries)
    if (this.#order === "requests") this.#rank.count(entries)
    if (this.#order === "errors") this.#rank.count(entries, segment.words("flags"), FLAG.failed)
    if (this.#order !== "tokens") return
    this.#rank.add(segment.column("input"), entries)
    this.#rank.add(segment.column("output"), entries)
  }

  /** Returns the slots of the highest-ranking groups. */
  first(groups: number, count: number): number[] {
    this.#rank.carry()
    this.#cost.carry()
    return firstSlots(
      groups,
      count,
      (left, right) => this.#rank.compare(right, left) || this.#cost.compare(right, left),
    )
  }
}

/** Returns the first `count` slots in the order of a comparison. Equal slots are in ascending order. */
export function firstSlots(
  groups: number,
  count: number,
  compare: (left: number, right: number) => number,
): number[] {
  const order = (left: number, right: number): number => compare(left, right) || left - right
  let found: number[] = []
  let last: number | undefined
  for (let slot = 0; slot < groups; slot++) {
    if (last !== undefined && order(slot, last) > 0) continue
    found.push(slot)
    if (found.length < 2 * count) continue
    found = found.toSorted(order).slice(0, count)
    last = found.at(-1)
  }
  return found.toSorted(order).slice(0, count)
}
