import type { PeriodSum } from "../usage-changes.ts"
import { differenceOf, type Entries, ExactSums } from "./exact-sums.ts"
import { firstSlots } from "./group-sums.ts"
import type { Segment } from "./segment.ts"
import { type Grouping, type IdFilter, type Selected, Selection } from "./selection.ts"
import { Slots } from "./slots.ts"
import { MAX_RANKED_GROUPS, type Segments } from "./sum-segments.ts"

/** Number of sums per group. */
const WIDTH = 2

/** A query for the groups whose cost changed most. */
export interface ChangeQuery {
  readonly after: IdFilter
  readonly before: IdFilter
  readonly grouping: Grouping
  /** Number of increases to return, and of decreases. */
  readonly count: number
}

/** The sums of a group in both periods, with its key, which is an id or an hour. */
export interface KeyedChange {
  readonly key: number
  readonly after: PeriodSum
  readonly before: PeriodSum
}

/**
 * Returns the groups with the largest increases and decreases of their costs, and possibly others, in any order. If
 * there are more groups than `most`, they are compared in several passes to limit the memory.
 */
export function compareSegments(
  segments: Segments,
  query: ChangeQuery,
  most = MAX_RANKED_GROUPS,
): KeyedChange[] {
  for (let parts = 1; ; parts *= 2) {
    const found = compareParts(segments, query, { parts, most })
    if (found !== undefined) return found
  }
}

interface Parts {
  readonly parts: number
  readonly most: number
}

/** Returns the changes of all parts; undefined if a part has more groups than `most`. */
function compareParts(
  segments: Segments,
  query: ChangeQuery,
  { parts, most }: Parts,
): KeyedChange[] | undefined {
  const found: KeyedChange[] = []
  for (let part = 0; part < parts; part++) {
    const slots = new Slots()
    const periods = [query.after, query.before].map((filter) => ({
      selection: new Selection(filter, query.grouping),
      sums: new PeriodSums(),
    }))
    for (const segment of segments) {
      for (const { selection, sums } of periods) {
        const selected = selection.of(segment)
        const length = parts === 1 ? selected.length : keepPart(selected, part, parts)
        slots.takeAll(selected.keys, length)
        if (slots.size > most) return undefined
        sums.add(segment, { rows: selected.rows, slots: selected.keys, length }, slots.size)
      }
    }
    const [after = new PeriodSums(), before = new PeriodSums()] = periods.map(({ sums }) => sums)
    for (const slot of changedSlots(after, before, { groups: slots.size, count: query.count })) {
      found.push({ key: slots.keyOf(slot), after: after.of(slot), before: before.of(slot) })
    }
  }
  return found
}

/**
 * Keeps the entries of one part of the groups.
 * @returns their number.
 */
function keepPart({ rows, keys, length }: Selected, part: number, parts: number): number {
  let kept = 0
  for (let entry = 0; entry < length; entry++) {
    const key = keys[entry] ?? 0
    if ((key & (parts - 1)) !== part) continue
    rows[kept] = rows[entry] ?? 0
    keys[kept++] = key
  }
  return kept
}

/** Returns the slots with the largest increases and decreases. */
function changedSlots(
  after: PeriodSums,
  before: PeriodSums,
  { groups, count }: { readonly groups: number; readonly count: number },
): ReadonlySet<number> {
  const changes = differenceOf(after.sums, before.sums, groups * WIDTH)
  const more = firstSlots(groups, count, (left, right) =>
    changes.compare(right * WIDTH, left * WIDTH),
  )
  const less = firstSlots(groups, count, (left, right) =>
    changes.compare(left * WIDTH, right * WIDTH),
  )
  return new Set([...more, ...less])
}

/** The costs and numbers of requests of groups in one period. */
class PeriodSums {
  /** For each group, its cost and its number of requests. */
  readonly sums = new ExactSums()

  /** @param groups number of groups. */
  add(segment: Segment, entries: Entries, groups: number): void {
    const { rows, slots, length } = entries
    if (length === 0) return
    this.sums.grow(groups * WIDTH)
    this.sums.expect(length)
    const { lower } = this.sums
    const cost = segment.words("cost")
    for (let entry = 0; entry < length; entry++) {
      const at = (slots[entry] ?? 0) * WIDTH
      lower[at] = (lower[at] ?? 0) + (cost[rows[entry] ?? 0] ?? 0)
      lower[at + 1] = (lower[at + 1] ?? 0) + 1
    }
    this.sums.addUpper(segment.column("cost"), entries, { width: WIDTH, place: 0 })
  }

  of(slot: number): PeriodSum {
    const at = slot * WIDTH
    return { cost: this.sums.at(at), requests: Number(this.sums.at(at + 1)) }
  }
}
