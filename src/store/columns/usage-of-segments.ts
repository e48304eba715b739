import type {
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsageOrder,
  UsagePoint,
  UsageSum,
} from "../requests.ts"
import { HOUR, HOURS_OF_DAY, isLabel, pointFromRow, sumFromRow } from "../usage-sums.ts"
import { NAME_COLUMNS, type NameColumn } from "./segment.ts"
import type { Grouping, IdFilter } from "./selection.ts"
import { seriesOfSegments, type Segments, type Sums, sumSegments } from "./sum-segments.ts"

/** The numbers that columns have for names. */
export interface NameIds {
  /** Undefined: no request has that name. */
  idOf(name: string): number | undefined
  nameOf(id: number): string
}

/** Requests of a time, as segments, and the names in them. */
export interface SegmentSource {
  readonly segments: Segments
  readonly names: NameIds
}

const ALL: UsageFirst = { order: "cost", count: Infinity }

/** Whether sums have to be made of segments: of labels none are kept, of which there may be as many as requests. */
export function isOfSegments({ labels = [] }: UsageFilter, group: UsageGroup): boolean {
  return isLabel(group) || labels.length > 0
}

/** The whole hours of a filter's time. @returns Unix milliseconds. */
export function hoursOf({ from, to }: UsageFilter): { readonly from: number; readonly to: number } {
  return { from: Math.floor(from / HOUR) * HOUR, to: Math.ceil(to / HOUR) * HOUR }
}

/** As `RequestReports.sumUsage`. */
export function sumUsageOf(
  { segments, names }: SegmentSource,
  filter: UsageFilter,
  group: UsageGroup,
  { order, count }: UsageFirst = ALL,
): UsageSum[] {
  const ids = idFilterOf(names, filter)
  if (ids === undefined) return []
  const isTime = group === "hour" || group === "day"
  const found = sumSegments(segments, { filter: ids, grouping: groupingOf(group), order, count })
  if (isTime) {
    return found
      .toSorted((left, right) => left.key - right.key)
      .map(({ key, sums }) => sumFromRow({ ...sums, name: BigInt(key) }))
  }
  const compare = comparisonOf(order)
  // Names are looked up of those only that are wanted.
  return found
    .toSorted((left, right) => compare(left.sums, right.sums) || left.key - right.key)
    .slice(0, count)
    .map(({ key, sums }) => ({ ...sums, name: names.nameOf(key) }))
    .toSorted((left, right) => compare(left, right) || compareText(left.name, right.name))
    .map(sumFromRow)
}

/** As `RequestReports.usageSeries`. */
export function usageSeriesOf(
  { segments, names }: SegmentSource,
  filter: UsageFilter,
  { group, names: apart, step }: SeriesGroup,
): UsagePoint[] {
  const ids = idFilterOf(names, filter)
  if (ids === undefined) return []
  const known = apart.flatMap((name) => {
    const key = names.idOf(name)
    return key === undefined ? [] : [{ name, key }]
  })
  const nameOfKey = new Map(known.map(({ name, key }) => [key, name]))
  return seriesOfSegments(segments, {
    filter: ids,
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

/** Undefined where it names what no request has. */
function idFilterOf(names: NameIds, filter: UsageFilter): IdFilter | undefined {
  const { accounts, labels = [] } = filter
  const span = hoursOf(filter)
  if (span.from >= span.to) return undefined
  const wanted: { readonly column: NameColumn; readonly id: number }[] = []
  for (const column of NAME_COLUMNS) {
    const values = valuesOf(filter, column)
    for (const value of values) {
      const id = names.idOf(value)
      if (id === undefined) return undefined
      wanted.push({ column, id })
    }
  }
  const tags = labels.filter(({ name }) => name === "tag").map(({ value }) => names.idOf(value))
  const known = tags.filter((id) => id !== undefined)
  if (known.length < tags.length) return undefined
  return { ...span, accounts: accounts && idsOf(names, accounts), names: wanted, tags: known }
}

function valuesOf(filter: UsageFilter, column: NameColumn): string[] {
  if (column === "account") return []
  if (column === "user" || column === "session") {
    return (filter.labels ?? []).filter(({ name }) => name === column).map(({ value }) => value)
  }
  const value = filter[column]
  return value === undefined ? [] : [value]
}

function idsOf(names: NameIds, values: readonly string[]): Set<number> {
  return new Set(values.flatMap((value) => names.idOf(value) ?? []))
}

/** The largest first, and then the dearest. */
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
