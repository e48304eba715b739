import { HOUR_MS } from "#contract/durations.ts"
import { FILTER_NAMES, SUM_NAMES, type SumName } from "../request-names.ts"
import type { UsageFilter, UsageGroup } from "../requests.ts"
import { addNames, HOURS_OF_DAY, SUMS } from "../usage-sums.ts"
import { Conditions } from "./conditions.ts"

/** A query that returns rows of sums. */
export interface UsageSource {
  readonly text: string
  readonly values: readonly (string | bigint)[]
}

/**
 * Returns a query for the stored sums that a usage report adds up.
 * @param byDay whether sums of whole days are sufficient.
 */
export function usageSource(filter: UsageFilter, group: UsageGroup, byDay: boolean): UsageSource {
  const kind = kindOf(filter, group)
  const reads = partsOf(filter, byDay)
    .filter(({ from, to }) => from < to)
    .map(({ unit, from, to }) => {
      const conditions = new Conditions()
      conditions.add("kind = ?", kind)
      conditions.add("hour >= ?", from)
      conditions.add("hour < ?", to)
      addNames(conditions, filter)
      const source =
        kind === undefined
          ? `SELECT * FROM usage_${unit}`
          : `SELECT hour, name AS ${kind}, ${SUMS.join(", ")} FROM usage_name_${unit}`
      return { text: `${source} ${conditions.where}`, values: conditions.values }
    })
  return {
    text: reads.map(({ text }) => text).join(" UNION ALL "),
    values: reads.flatMap(({ values }) => values),
  }
}

/** Whether a filter requires the sums by all names, and not only those by account. */
export function isOfSeveralNames(filter: UsageFilter): boolean {
  return FILTER_NAMES.some((name) => filter[name] !== undefined)
}

/** Used if any kind of name is sufficient. Every request has an endpoint, and there are few endpoints. */
const ANY_KIND = "endpoint"

/** Returns the kind of name whose sums are sufficient; undefined if there is none. */
function kindOf(filter: UsageFilter, group: UsageGroup): SumName | undefined {
  if (filter.accounts !== undefined || isOfSeveralNames(filter)) return undefined
  return SUM_NAMES.find((name) => name === group) ?? ANY_KIND
}

interface Part {
  /** The suffix of the tables' names. */
  readonly unit: "days" | "hours"
  readonly from: number
  readonly to: number
}

/** Divides a time range. Whole days are read from daily sums, and the hours at both ends from hourly sums. */
function partsOf(filter: UsageFilter, byDay: boolean): Part[] {
  const from = Math.floor(filter.from / HOUR_MS)
  const to = Math.ceil(filter.to / HOUR_MS)
  const firstDay = Math.ceil(from / HOURS_OF_DAY) * HOURS_OF_DAY
  const lastDay = Math.floor(to / HOURS_OF_DAY) * HOURS_OF_DAY
  if (!byDay || firstDay >= lastDay) return [{ unit: "hours", from, to }]
  return [
    { unit: "hours", from, to: firstDay },
    { unit: "days", from: firstDay, to: lastDay },
    { unit: "hours", from: lastDay, to },
  ]
}
