import type { UsageOrder } from "../requests.ts"
import type { SumRow } from "../usage-sums.ts"
import { type Entries, ExactSums } from "./exact-sums.ts"
import { type AmountColumn, FLAG, type Segment } from "./segment.ts"

type SumName = Exclude<keyof SumRow, "name">

/** What is added up, and of which column. */
const AMOUNTS: readonly (readonly [SumName, AmountColumn])[] = [
  ["input", "input"],
  ["output", "output"],
  ["cost", "cost"],
  ["written_off", "written_off"],
  ["provider_cost", "provider_cost"],
  ["duration", "duration"],
  ["first_byte", "first_byte"],
]
const COUNTS: readonly (readonly [SumName, number | undefined])[] = [
  ["requests", undefined],
  ["errors", FLAG.failed],
  ["durations", FLAG.hasDuration],
  ["first_bytes", FLAG.hasFirstByte],
]

/** All sums of groups, slot by slot. */
export class GroupSums {
  readonly #sums = new Map<SumName, ExactSums>(
    [...AMOUNTS, ...COUNTS].map(([name]) => [name, new ExactSums()]),
  )

  /** @param slots how many there are. */
  add(segment: Segment, entries: Entries, slots: number): void {
    if (entries.length === 0) return
    for (const sums of this.#sums.values()) sums.grow(slots)
    for (const [name, column] of AMOUNTS) this.#sums.get(name)?.add(segment.addends(column), entries)
    const flags = segment.words("flags")
    for (const [name, flag] of COUNTS) this.#sums.get(name)?.count(flags, entries, flag)
  }

  at(slot: number): Omit<SumRow, "name"> {
    const sum = (of: SumName): bigint => this.#sums.get(of)?.at(slot) ?? 0n
    return {
      requests: sum("requests"),
      errors: sum("errors"),
      input: sum("input"),
      output: sum("output"),
      cost: sum("cost"),
      written_off: sum("written_off"),
      provider_cost: sum("provider_cost"),
      durations: sum("durations"),
      duration: sum("duration"),
      first_bytes: sum("first_bytes"),
      first_byte: sum("first_byte"),
    }
  }
}

/** What groups are ordered by, slot by slot; of those that are equal the dearest comes first. */
export class RankSums {
  readonly #order: UsageOrder
  readonly #rank = new ExactSums()
  readonly #cost = new ExactSums()

  constructor(order: UsageOrder) {
    this.#order = order
  }

  add(segment: Segment, entries: Entries, slots: number): void {
    if (entries.length === 0) return
    this.#rank.grow(slots)
    this.#cost.grow(slots)
    this.#cost.add(segment.addends("cost"), entries)
    if (this.#order === "cost") return
    if (this.#order === "requests") return this.#rank.count(segment.words("flags"), entries)
    if (this.#order === "errors") {
      return this.#rank.count(segment.words("flags"), entries, FLAG.failed)
    }
    this.#rank.add(segment.addends("input"), entries)
    this.#rank.add(segment.addends("output"), entries)
  }

  /** The slots of the first groups, in no order. */
  first(slots: number, count: number): number[] {
    this.#rank.carry()
    this.#cost.carry()
    const compare = (left: number, right: number): number =>
      this.#rank.compare(right, left) || this.#cost.compare(right, left) || left - right
    let found: number[] = []
    let last: number | undefined
    for (let slot = 0; slot < slots; slot++) {
      if (last !== undefined && compare(slot, last) > 0) continue
      found.push(slot)
      if (found.length < 2 * count) continue
      found = found.toSorted(compare).slice(0, count)
      last = found.at(-1)
    }
    return found.toSorted(compare).slice(0, count)
  }
}
