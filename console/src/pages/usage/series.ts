import type { Usage, UsagePoint, UsageRow } from "tollgate-contract/usage.ts"
import { nanos, nanosText } from "../../format/credits.ts"
import type { UsageMetric } from "./usage-metrics.ts"
import { momentsOf, type UsageSpan } from "./usage-filters.ts"
import { t } from "../../languages/text.ts"

/** Maximum number of groups in a chart. More colors are hard to distinguish. */
const MAX_GROUPS = 8
/** The API's name for the sum of all remaining groups. */
export const OTHERS = ""

/** The properties of a point that are amounts of credits. They are added as integers. */
const AMOUNTS = ["cost", "provider_cost", "written_off"] as const

/** One group over time. */
export interface Series {
  readonly group: string
  readonly name: string
  /** Index of the color. The group of all remaining groups has the last color. */
  readonly color: number
  /** One point per moment; undefined if the group had no usage. */
  readonly points: readonly (UsagePoint | undefined)[]
}

export interface ChartData {
  /** Start of each moment as ISO text. */
  readonly moments: readonly string[]
  readonly series: readonly Series[]
}

/**
 * Returns the data of a chart: the largest groups by a metric. If the metric is a sum, the remaining groups are
 * combined into one.
 */
export function chartDataOf(usage: Usage, span: UsageSpan, metric: UsageMetric): ChartData {
  const moments = momentsOf(span)
  const points = usage.series ?? []
  const named = usage.data.filter(({ group }) => points.some((point) => point.group === group))
  const shown = named.slice(0, MAX_GROUPS)
  const names = new Map(shown.map((row) => [row.group, row.name ?? row.group]))
  const series = shown.map((row, color): Series => {
    const own = byTime(points.filter(({ group }) => group === row.group))
    return { group: row.group, name: nameOf(row), color, points: moments.map((at) => own.get(at)) }
  })
  if (!metric.isSum) return { moments, series }
  const rest = points.filter(({ group }) => !names.has(group))
  if (rest.length === 0) return { moments, series }
  const others = byTime(rest)
  const last: Series = {
    group: OTHERS,
    name: t("Others"),
    color: MAX_GROUPS,
    points: moments.map((at) => others.get(at)),
  }
  return { moments, series: [...series, last] }
}

/** Returns the sum of all groups at a moment; undefined without usage. */
export function totalAt({ series }: ChartData, index: number): UsagePoint | undefined {
  return series
    .flatMap(({ points }) => points[index] ?? [])
    .reduce<UsagePoint | undefined>(
      (total, point) => (total === undefined ? point : sumOf(total, point)),
      undefined,
    )
}

export function nameOf(row: UsageRow): string {
  return row.name ?? (row.group === "" ? t("none") : row.group)
}

/** Adds up the groups of each moment. Only the values that a chart needs are added. */
function byTime(points: readonly UsagePoint[]): ReadonlyMap<string, UsagePoint> {
  const found = new Map<string, UsagePoint>()
  for (const point of points) {
    const before = found.get(point.at)
    found.set(point.at, before === undefined ? point : sumOf(before, point))
  }
  return found
}

function sumOf(one: UsagePoint, other: UsagePoint): UsagePoint {
  const amount = (name: (typeof AMOUNTS)[number]) =>
    one[name] === undefined && other[name] === undefined
      ? {}
      : { [name]: nanosText(nanos(one[name] ?? "0") + nanos(other[name] ?? "0")) }
  return {
    ...one,
    group: OTHERS,
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    input: one.input + other.input,
    output: one.output + other.output,
    ...Object.assign({}, ...AMOUNTS.map(amount)),
  }
}
