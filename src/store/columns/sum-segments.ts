import type { UsageOrder } from "../requests.ts"
import { HOUR, type SumRow } from "../usage-sums.ts"
import { GroupSums, RankSums } from "./group-sums.ts"
import type { Segment } from "./segment.ts"
import { type Grouping, type IdFilter, Selection } from "./selection.ts"
import { Slots } from "./slots.ts"

/** Segments that can be gone through several times. */
export type Segments = Iterable<Segment>

/** Groups of which all sums are made at once; where there are more, it is decided first which of them are wanted. */
const FEW_GROUPS = 8_192
/** Groups that are ranked at once, in some 50 MB. More are ranked a part after the other. */
const MANY_GROUPS = 2 ** 20

export interface GroupLimits {
  readonly few: number
  readonly many: number
}

/** What is asked of groups. */
export interface GroupQuery {
  readonly filter: IdFilter
  readonly grouping: Grouping
  readonly order: UsageOrder
  /** So many of them, the first by their order. */
  readonly count: number
}

/** The sums of a group, without its name. */
export type Sums = Omit<SumRow, "name">

/** A group, by its key: an id or an hour. */
export interface KeyedSums {
  readonly key: number
  readonly sums: Sums
}

/**
 * The sums of the first groups, in no order, and maybe of some more. However many groups there are, it needs a bounded room; the time grows with the requests
 * alone, until there are more groups than are ranked at once.
 */
export function sumSegments(
  segments: Segments,
  query: GroupQuery,
  limits: GroupLimits = { few: FEW_GROUPS, many: MANY_GROUPS },
): KeyedSums[] {
  const all = sumAll(segments, query, limits.few)
  if (all !== undefined) return all
  for (let parts = 1; ; parts *= 2) {
    const first = rankAll(segments, query, { parts, most: limits.many })
    if (first !== undefined) return sumSome(segments, query, first)
  }
}

/** Undefined where there are more than so many groups. */
function sumAll(
  segments: Segments,
  { filter, grouping }: GroupQuery,
  most: number,
): KeyedSums[] | undefined {
  const [selection, slots, sums] = [new Selection(filter, grouping), new Slots(), new GroupSums()]
  for (const segment of segments) {
    const { rows, keys, length } = selection.of(segment)
    slots.takeAll(keys, length)
    if (slots.size > most) return undefined
    sums.add(segment, { rows, slots: keys, length }, slots.size)
  }
  return keyed(slots, sums)
}

interface Parts {
  readonly parts: number
  readonly most: number
}

/** The keys of the first groups of each part; undefined where a part has more groups than so many. */
function rankAll(
  segments: Segments,
  query: GroupQuery,
  { parts, most }: Parts,
): number[] | undefined {
  const first: number[] = []
  for (let part = 0; part < parts; part++) {
    const found = rankPart(segments, query, { part, parts, most })
    if (found === undefined) return undefined
    first.push(...found)
  }
  return first
}

function rankPart(
  segments: Segments,
  { filter, grouping, order, count }: GroupQuery,
  { part, parts, most }: Parts & { readonly part: number },
): number[] | undefined {
  const [selection, slots, sums] = [
    new Selection(filter, grouping),
    new Slots(),
    new RankSums(order),
  ]
  for (const segment of segments) {
    const { rows, keys, length } = selection.of(segment)
    let kept = 0
    for (let entry = 0; entry < length; entry++) {
      const key = keys[entry] ?? 0
      if ((key & (parts - 1)) !== part) continue
      rows[kept] = rows[entry] ?? 0
      keys[kept++] = slots.take(key)
    }
    if (slots.size > most) return undefined
    sums.add(segment, { rows, slots: keys, length: kept }, slots.size)
  }
  return sums.first(slots.size, count).map((slot) => slots.keyOf(slot))
}

function sumSome(
  segments: Segments,
  { filter, grouping }: GroupQuery,
  keys: readonly number[],
): KeyedSums[] {
  const [selection, slots, sums] = [new Selection(filter, grouping), new Slots(), new GroupSums()]
  for (const key of keys) slots.take(key)
  for (const segment of segments) {
    const { rows, keys, length } = selection.of(segment)
    let kept = 0
    for (let entry = 0; entry < length; entry++) {
      const slot = slots.find(keys[entry] ?? 0)
      if (slot < 0) continue
      rows[kept] = rows[entry] ?? 0
      keys[kept++] = slot
    }
    sums.add(segment, { rows, slots: keys, length: kept }, slots.size)
  }
  return keyed(slots, sums)
}

/** What is asked of groups over time. */
export interface SeriesQuery {
  readonly filter: IdFilter
  readonly grouping: Grouping
  /** These groups are told apart. */
  readonly keys: readonly number[]
  /** How long a part of the time is, hours. */
  readonly step: number
}

/** Sums of one group, or of all that are not told apart, in one part of the time. */
export interface KeyedPoint {
  /** Hours since 1970. */
  readonly hour: number
  /** Undefined: all others. */
  readonly key: number | undefined
  readonly sums: Sums
}

/** The sums of some groups over time, in no order; without those of nothing. */
export function seriesOfSegments(
  segments: Segments,
  { filter, grouping, keys, step }: SeriesQuery,
): KeyedPoint[] {
  const [selection, slots, sums] = [new Selection(filter, grouping), new Slots(), new GroupSums()]
  const apart = new Slots()
  for (const key of keys) apart.take(key)
  const width = keys.length + 1
  const first = Math.floor(filter.from / HOUR / step)
  for (const segment of segments) {
    const times = segment.times()
    const { rows, keys, length } = selection.of(segment)
    for (let entry = 0; entry < length; entry++) {
      const began = segment.from + (times[rows[entry] ?? 0] ?? 0)
      const part = Math.floor(began / HOUR / step) - first
      // What is not told apart has the first place of its part.
      keys[entry] = slots.take(part * width + apart.find(keys[entry] ?? 0) + 1)
    }
    sums.add(segment, { rows, slots: keys, length }, slots.size)
  }
  return keyed(slots, sums).map(({ key, sums: own }) => ({
    hour: (first + Math.floor(key / width)) * step,
    key: keys[(key % width) - 1],
    sums: own,
  }))
}

function keyed(slots: Slots, sums: GroupSums): KeyedSums[] {
  return Array.from({ length: slots.size }, (_, slot) => ({
    key: slots.keyOf(slot),
    sums: sums.of(slot),
  }))
}
