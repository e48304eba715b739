import { HOUR_MS } from "#contract/durations.ts"
import type {
  ResponseSample,
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsageOrder,
  UsagePoint,
  UsageSum,
  UsageTime,
} from "../requests.ts"
import { FILTER_NAMES } from "../request-names.ts"
import { HOURS_OF_DAY, isLabel, pointFromRow, sumFromRow } from "../usage-sums.ts"
import { compareChanges, type UsageChange } from "../usage-changes.ts"
import { compareSegments, type KeyedChange } from "./compare-segments.ts"
import { sampleSegments } from "./sample-segments.ts"
import {
  AMOUNT_COLUMNS,
  type AmountColumn,
  type ColumnName,
  NAME_COLUMNS,
  type NameColumn,
} from "./segment.ts"
import type { Grouping, IdFilter } from "./selection.ts"
import {
  type KeyedSums,
  seriesOfSegments,
  type Segments,
  type Sums,
  sumSegments,
} from "./sum-segments.ts"

const ALL: UsageFirst = { order: "cost", count: Infinity }

/** Returns the id of a name in the columns; undefined if no request has the name. */
export type IdOf = (name: string) => number | undefined
/** Returns the name of an id. */
export type NameOf = (id: number) => string

/**
 * Whether the sums can only be computed from segments. No sums by label are stored, because there may be as many labels
 * as requests.
 */
export function isOfSegments({ labels = [] }: UsageFilter, group: UsageGroup): boolean {
  return isLabel(group) || labels.length > 0
}

/** For longer time ranges, segments are faster than hourly sums. */
const LONG_MS = 2 * HOURS_OF_DAY * HOUR_MS

/** Whether a time range is so long that segments are faster than hourly sums. */
export function isLong({ from, to }: UsageFilter): boolean {
  return to - from > LONG_MS
}

/** Returns the time range of a filter, extended to whole hours, in Unix milliseconds. */
export function hoursOf({ from, to }: UsageFilter): { readonly from: number; readonly to: number } {
  return { from: Math.floor(from / HOUR_MS) * HOUR_MS, to: Math.ceil(to / HOUR_MS) * HOUR_MS }
}

/** Returns all names in a filter. */
export function namesInFilter({ accounts = [], labels = [], ...filter }: UsageFilter): string[] {
  const names = FILTER_NAMES.flatMap((name) => filter[name] ?? [])
  return [...accounts, ...names, ...labels.map(({ value }) => value)]
}

/**
 * Returns the columns that a report reads.
 * @param amounts the amounts that it sums.
 */
export function columnsFor(
  filter: UsageFilter,
  groups: readonly UsageGroup[],
  amounts: readonly AmountColumn[] = AMOUNT_COLUMNS,
): ColumnName[] {
  const { accounts, labels = [] } = filter
  const filtered = NAME_COLUMNS.filter((column) =>
    column === "account" ? accounts !== undefined : valuesOf(filter, column).length > 0,
  )
  const hasTags = groups.includes("tag") || labels.some(({ name }) => name === "tag")
  const own = NAME_COLUMNS.filter((column) => groups.includes(column))
  const tags = hasTags ? (["tag_counts", "tags"] as const) : []
  return [...new Set(["at", "flags", ...filtered, ...own, ...tags, ...amounts] as const)]
}

const NO_NUMBERS = new Float64Array()
export const NO_RESPONSES: ResponseSample = {
  at: NO_NUMBERS,
  duration: NO_NUMBERS,
  firstByte: NO_NUMBERS,
  output: NO_NUMBERS,
  entries: { responses: new Int32Array(), names: new Int32Array() },
  isComplete: true,
}

/** Returns the highest-ranking groups for `RequestReports.sumUsage`, in order. */
export function firstGroups(
  segments: Segments,
  filter: IdFilter,
  group: UsageGroup,
  { order, count }: UsageFirst = ALL,
): KeyedSums[] {
  const found = sumSegments(segments, { filter, grouping: groupingOf(group), order, count })
  if (isTime(group)) return found.toSorted((left, right) => left.key - right.key)
  const compare = comparisonOf(order)
  return found
    .toSorted((left, right) => compare(left.sums, right.sums) || left.key - right.key)
    .slice(0, count)
}

/** Adds the names of groups. */
export function namedSums(
  found: readonly KeyedSums[],
  group: UsageGroup,
  { order }: UsageFirst = ALL,
  nameOf: NameOf,
): UsageSum[] {
  if (isTime(group)) return found.map(({ key, sums }) => sumFromRow({ ...sums, name: BigInt(key) }))
  const compare = comparisonOf(order)
  return found
    .map(({ key, sums }) => ({ ...sums, name: nameOf(key) }))
    .toSorted((left, right) => compare(left, right) || compareText(left.name, right.name))
    .map(sumFromRow)
}

/** Returns the changed groups for `RequestReports.usageChanges`, in any order. */
export function changedGroups(
  segments: Segments,
  { after, before }: { readonly after: IdFilter; readonly before: IdFilter },
  group: UsageGroup,
  count: number,
): KeyedChange[] {
  return compareSegments(segments, { after, before, grouping: groupingOf(group), count })
}

/** Adds the names of groups. */
export function namedChanges(changes: readonly KeyedChange[], nameOf: NameOf): UsageChange[] {
  return changes
    .map(({ key, ...change }) => ({ ...change, group: nameOf(key) }))
    .toSorted(compareChanges)
}

/** Implements `RequestReports.sampleResponses`. */
export function sampleOf(
  segments: Segments,
  filter: IdFilter,
  { group, names }: Pick<SeriesGroup, "names"> & { readonly group: UsageGroup },
  idOf: IdOf,
): ResponseSample {
  const keys = names.map((name) => (isTime(group) ? Number(name) / HOUR_MS : idOf(name)))
  return sampleSegments(segments, filter, { grouping: groupingOf(group), keys })
}

function isTime(group: UsageGroup): group is UsageTime {
  return group === "hour" || group === "day"
}

/** Implements `RequestReports.usageSeries`. */
export function usageSeriesOf(
  segments: Segments,
  filter: IdFilter,
  { group, names, step }: SeriesGroup,
  idOf: IdOf,
): UsagePoint[] {
  const known = names.flatMap((name) => {
    const key = idOf(name)
    return key === undefined ? [] : [{ name, key }]
  })
  const nameOfKey = new Map(known.map(({ name, key }) => [key, name]))
  return seriesOfSegments(segments, {
    filter,
    grouping: groupingOf(group),
    keys: known.map(({ key }) => key),
    step: step === "day" ? HOURS_OF_DAY : 1,
  })
    .map(({ hour, key, sums }) => ({
      ...sums,
      moment: BigInt(hour),
      name: key === undefined ? "" : (nameOfKey.get(key) ?? ""),
    }))
    .toSorted(
      (left, right) => Number(left.moment - right.moment) || compareText(left.name, right.name),
    )
    .map(pointFromRow)
}

function groupingOf(group: UsageGroup): Grouping {
  if (group === "tag") return { column: "tags" }
  if (group === "all") return { column: "none" }
  if (group === "hour") return { hours: 1 }
  if (group === "day") return { hours: HOURS_OF_DAY }
  return { column: group, hasNone: !isLabel(group) }
}

/** Converts a filter to ids; undefined if no request can match it. */
export function idFilterOf(filter: UsageFilter, idOf: IdOf): IdFilter | undefined {
  const { accounts, labels = [] } = filter
  const span = hoursOf(filter)
  if (span.from >= span.to) return undefined
  const wanted: { readonly column: NameColumn; readonly id: number }[] = []
  if (accounts?.length === 0) return undefined
  for (const column of NAME_COLUMNS) {
    const values = valuesOf(filter, column)
    for (const value of values) {
      const id = idOf(value)
      if (id === undefined) return undefined
      wanted.push({ column, id })
    }
  }
  const tags = labels.filter(({ name }) => name === "tag").map(({ value }) => idOf(value))
  const known = tags.filter((id) => id !== undefined)
  if (known.length < tags.length) return undefined
  // A single account is compared directly. Several accounts are looked up in a set.
  const isOne = accounts?.length === 1
  return {
    ...span,
    accounts: accounts && !isOne ? idsOf(accounts, idOf) : undefined,
    names: wanted,
    tags: known,
  }
}

function valuesOf(filter: UsageFilter, column: NameColumn): readonly string[] {
  if (column === "account") return filter.accounts?.length === 1 ? filter.accounts : []
  if (column === "user" || column === "session") {
    return (filter.labels ?? []).filter(({ name }) => name === column).map(({ value }) => value)
  }
  const value = filter[column]
  return value === undefined ? [] : [value]
}

function idsOf(values: readonly string[], idOf: IdOf): Set<number> {
  return new Set(values.flatMap((value) => idOf(value) ?? []))
}

/** Sorts the highest values first. Equal values are sorted by cost, the most expensive first. */
function comparisonOf(order: UsageOrder) {
  const sizeOf = (sums: Sums): bigint =>
    order === "tokens" ? sums.input + sums.output : sums[order]
  return (left: Sums, right: Sums): number =>
    compareDown(sizeOf(left), sizeOf(right)) ||
    compareDown(left.cost, right.cost) ||
    compareDown(left.requests, right.requests)
}

function compareDown(left: bigint, right: bigint): number {
  if (left === right) return 0
  return left > right ? -1 : 1
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
