import { HOUR_MS } from "#contract/durations.ts"
import type { UsageOrder } from "../requests.ts"
import type { SumRow } from "../usage-sums.ts"
import { GroupSums, RankSums } from "./group-sums.ts"
import type { Segment } from "./segment.ts"
import { type Grouping, type IdFilter, Selection } from "./selection.ts"
import { Slots } from "./slots.ts"

/** Segments that can be iterated several times. */
export type Segments = Iterable<Segment>

/**
 * Maximum groups that are summed in one pass. If there are more, a first pass determines the highest-ranking groups.
 */
const MAX_SUMMED_GROUPS = 8_192
/** Maximum groups that are ranked in one pass, which takes about 50 MB. More groups are ranked in several passes. */
export const MAX_RANKED_GROUPS = 2 ** 20

export interface GroupLimits {
  readonly few: number
  readonly many: number
}

/** A query for the sums of groups. */
export interface GroupQuery {
  readonly filter: IdFilter
  readonly grouping: Grouping
  readonly order: UsageOrder
  /** Number of groups to return, starting with the highest-ranking group. */
  readonly count: number
}

/** The sums of a group, without its name. */
export type Sums = Omit<SumRow, "name">

/** A group's sums with its key, which is an id or an hour. */
export interface KeyedSums {
  readonly key: number
  readonly sums: Sums
}

/**
 * Returns the sums of the highest-ranking groups, and possibly of others, in any order. Memory is limited regardless of
 * the number of groups. The time depends only on the number of requests, as long as all groups can be ranked in one
 * pass.
 */
export function sumSegments(
  segments: Segments,
  query: GroupQuery,
  limits: GroupLimits = { few: MAX_SUMMED_GROUPS, many: MAX_RANKED_GROUPS },
): KeyedSums[] {
  const all = sumAll(segments, query, limits.few)
  if (all !== undefined) return all
  for (let parts = 1; ; parts *= 2) {
    const first = rankAll(segments, query, { parts, most: limits.many })
    if (first !== undefined) return sumSome(segments, query, first)
  }
}

/** Sums all groups. Returns undefined if there are more than `most`. */
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

/** Returns the keys of the highest-ranking groups of each part; undefined if a part has more groups than `most`. */
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

/** A query for the sums of groups in each interval. */
export interface SeriesQuery {
  readonly filter: IdFilter
  readonly grouping: Grouping
  /** The groups that have separate sums. */
  readonly keys: readonly number[]
  /** Length of an interval in hours. */
  readonly step: number
}

/** The sums of one group, or of all other groups together, in one interval. */
export interface KeyedPoint {
  /** The start of the interval in hours since 1970. */
  readonly hour: number
  /** The group; undefined for all other groups. */
  readonly key: number | undefined
  readonly sums: Sums
}

/** Returns the sums of the given groups in each interval, in any order. Empty intervals are omitted. */
export function seriesOfSegments(
  segments: Segments,
  { filter, grouping, keys, step }: SeriesQuery,
): KeyedPoint[] {
  const [selection, slots, sums] = [new Selection(filter, grouping), new Slots(), new GroupSums()]
  const apart = new Slots()
  for (const key of keys) apart.take(key)
  const width = keys.length + 1
  const first = Math.floor(filter.from / HOUR_MS / step)
  for (const segment of segments) {
    const times = segment.times()
    const { rows, keys, length } = selection.of(segment)
    for (let entry = 0; entry < length; entry++) {
      const began = segment.from + (times[rows[entry] ?? 0] ?? 0)
      const part = Math.floor(began / HOUR_MS / step) - first
      // The first position in an interval belongs to all other groups.
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
