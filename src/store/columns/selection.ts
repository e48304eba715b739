import { type Column, numberAt } from "./column.ts"
import type { Entries } from "./exact-sums.ts"
import { FLAG, type NameColumn, type Segment, SEGMENT_SIZE } from "./segment.ts"
import { MOST_TAGS } from "../../accounting/labels.ts"
import { HOUR } from "../usage-sums.ts"

/** Which requests are meant: names by their ids. */
export interface IdFilter {
  /** Unix milliseconds. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Absent: everyone's. */
  readonly accounts?: ReadonlySet<number> | undefined
  readonly names: readonly { readonly column: NameColumn; readonly id: number }[]
  /** They have all of these. */
  readonly tags: readonly number[]
}

/** By what requests are told apart: a name, each of their tags, hours since 1970 in steps of so many, or nothing. */
export type Grouping =
  | { readonly column: NameColumn; readonly hasNone: boolean }
  | { readonly column: "tags" }
  | { readonly hours: number }
  | { readonly column: "none" }

/** Requests of a segment with the keys of their groups: an id, or an hour. */
export interface Selected {
  readonly rows: Int32Array
  readonly keys: Int32Array
  readonly length: number
}

/** Finds the requests of segments that a filter lets through, and the groups that they are in. */
export class Selection {
  readonly #filter: IdFilter
  readonly #grouping: Grouping
  #rows = new Int32Array(SEGMENT_SIZE)
  #more = new Int32Array(SEGMENT_SIZE)
  #keys = new Int32Array(SEGMENT_SIZE)

  constructor(filter: IdFilter, grouping: Grouping) {
    this.#filter = filter
    this.#grouping = grouping
  }

  /** @returns what stands until the next call. */
  of(segment: Segment): Selected {
    this.#makeRoom(segment)
    const count = this.#narrowed(segment)
    return this.#grouped(segment, count)
  }

  #narrowed(segment: Segment): number {
    const { from, to, accounts, names, tags } = this.#filter
    if (segment.to < from || segment.from >= to) return 0
    const rows = this.#rows
    let count = segment.count
    for (let row = 0; row < count; row++) rows[row] = row
    const keep = (isMeant: (row: number) => boolean): void => {
      let kept = 0
      for (let entry = 0; entry < count; entry++) {
        const row = rows[entry] ?? 0
        if (isMeant(row)) rows[kept++] = row
      }
      count = kept
    }
    const flags = segment.column("flags")
    if (flags) keep((row) => (numberAt(flags, row) & FLAG.isGone) === 0)
    if (segment.from < from || segment.to >= to) {
      const at = segment.column("at")
      keep((row) => {
        const began = segment.from + numberAt(at, row)
        return began >= from && began < to
      })
    }
    if (accounts) {
      const ids = segment.column("account")
      keep((row) => accounts.has(numberAt(ids, row)))
    }
    for (const { column, id } of names) {
      const ids = segment.column(column)
      keep((row) => numberAt(ids, row) === id)
    }
    if (tags.length > 0) keep(havingTags(segment, tags))
    return count
  }

  #grouped(segment: Segment, count: number): Selected {
    const [rows, keys] = [this.#rows, this.#keys]
    const grouping = this.#grouping
    if ("hours" in grouping) {
      const at = segment.column("at")
      const step = grouping.hours
      for (let entry = 0; entry < count; entry++) {
        const began = segment.from + numberAt(at, rows[entry] ?? 0)
        keys[entry] = Math.floor(began / HOUR / step) * step
      }
      return { rows, keys, length: count }
    }
    if (grouping.column === "none") {
      keys.fill(0, 0, count)
      return { rows, keys, length: count }
    }
    if (grouping.column === "tags") return this.#byTags(segment, count)
    const ids = segment.column(grouping.column)
    let length = 0
    for (let entry = 0; entry < count; entry++) {
      const row = rows[entry] ?? 0
      const id = numberAt(ids, row)
      if (id === 0 && !grouping.hasNone) continue
      rows[length] = row
      keys[length++] = id
    }
    return { rows, keys, length }
  }

  /** Each request comes once with each of its tags. */
  #byTags(segment: Segment, count: number): Selected {
    const [counts, tags] = [segment.column("tag_counts"), segment.column("tags")]
    const [found, rows, keys] = [this.#rows, this.#more, this.#keys]
    let [row, place, length] = [0, 0, 0]
    for (let entry = 0; entry < count; entry++) {
      const wanted = found[entry] ?? 0
      for (; row < wanted; row++) place += numberAt(counts, row)
      const own = numberAt(counts, wanted)
      for (let tag = 0; tag < own; tag++) {
        rows[length] = wanted
        keys[length++] = numberAt(tags, place + tag)
      }
    }
    return { rows, keys, length }
  }

  #makeRoom({ count }: Segment): void {
    const most = count * ("column" in this.#grouping && this.#grouping.column === "tags" ? MOST_TAGS : 1)
    if (this.#rows.length < count) this.#rows = new Int32Array(count)
    if (this.#more.length < most) this.#more = new Int32Array(most)
    if (this.#keys.length < most) this.#keys = new Int32Array(most)
  }
}

/** Whether a request has all of some tags. Expects to be asked in the order of the rows. */
function havingTags(segment: Segment, wanted: readonly number[]): (row: number) => boolean {
  const [counts, tags] = [segment.column("tag_counts"), segment.column("tags")]
  let [next, place] = [0, 0]
  return (row) => {
    for (; next < row; next++) place += numberAt(counts, next)
    const own = numberAt(counts, row)
    return wanted.every((tag) => hasTag(tags, tag, { place, own }))
  }
}

function hasTag(
  tags: Column | undefined,
  wanted: number,
  { place, own }: { readonly place: number; readonly own: number },
): boolean {
  for (let tag = 0; tag < own; tag++) if (numberAt(tags, place + tag) === wanted) return true
  return false
}

/** Entries whose groups have a slot. @param slotOf -1 for a group that has none. */
export function entriesOf(
  { rows, keys, length }: Selected,
  slotOf: (key: number, row: number) => number,
): Entries {
  let kept = 0
  for (let entry = 0; entry < length; entry++) {
    const row = rows[entry] ?? 0
    const slot = slotOf(keys[entry] ?? 0, row)
    if (slot < 0) continue
    rows[kept] = row
    keys[kept++] = slot
  }
  return { rows, slots: keys, length: kept }
}
