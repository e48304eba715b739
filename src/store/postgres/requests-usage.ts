import { HOUR_MS } from "#contract/durations.ts"
import type {
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsagePoint,
  UsageSum,
} from "../requests.ts"
import {
  addNames,
  endOf,
  HOURS_OF_DAY,
  pointFromRow,
  type PointRow,
  sumFromRow,
  type SumRow,
  SUMS,
  type AmountName,
  isAmount,
} from "../usage-sums.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { matchesNothing } from "../text-filters.ts"
import { Conditions } from "./conditions.ts"

/** Sums of amounts may exceed 64 bits, so they are read as text. */
const ADDED = SUMS.map(
  (name) => `sum(${name})::${isAmount(name) ? "text" : "bigint"} AS ${name}`,
).join(", ")
const DAY = `(hour / ${HOURS_OF_DAY} * ${HOURS_OF_DAY})::bigint`

function expressionOf(group: UsageGroup): string {
  if (group === "hour") return "hour::bigint"
  if (group === "day") return DAY
  if (group === "all") return "''"
  return group
}

/** A row of sums in the form that the database returns. */
type Read<Row extends SumRow> = Omit<Row, AmountName> & Readonly<Record<AmountName, string>>

function withAmounts<Row extends Readonly<Record<AmountName, string>>>(row: Row) {
  return {
    ...row,
    cost: BigInt(row.cost),
    written_off: BigInt(row.written_off),
    provider_cost: BigInt(row.provider_cost),
  }
}

/** Returns the sums of each group in a time range. */
export async function sumUsage(
  statements: Statements,
  filter: UsageFilter,
  group: UsageGroup,
  first?: UsageFirst,
): Promise<UsageSum[]> {
  if (isNothing(filter)) return []
  const isTime = group === "hour" || group === "day"
  const conditions = new Conditions()
  const source = usageSource(conditions, filter)
  const rows = await statements.rows<Read<SumRow>>(
    `SELECT ${expressionOf(group)} AS name, ${ADDED} FROM ${source}
     GROUP BY 1 HAVING sum(requests) > 0
     ${isTime ? "ORDER BY 1" : endOf(first, "1")}`,
    conditions.values,
  )
  return rows.map((row) => sumFromRow(withAmounts(row)))
}

/** Returns sums for each interval, separately for each of the given names, and one for all other names. */
export async function usageSeries(
  statements: Statements,
  filter: UsageFilter,
  { group, names, step }: SeriesGroup,
): Promise<UsagePoint[]> {
  if (isNothing(filter)) return []
  const conditions = new Conditions()
  const source = usageSource(conditions, filter)
  const name = expressionOf(group)
  const apart = conditions.place(texts(names))
  const rows = await statements.rows<Read<PointRow>>(
    `SELECT ${step === "day" ? DAY : "hour::bigint"} AS moment,
       CASE WHEN ${name} = ANY(${apart}::text[]) THEN ${name} ELSE '' END AS name, ${ADDED}
     FROM ${source} GROUP BY 1, 2 HAVING sum(requests) > 0 ORDER BY 1, 2`,
    conditions.values,
  )
  return rows.map((row) => pointFromRow(withAmounts(row)))
}

function isNothing(filter: UsageFilter): boolean {
  return filter.from >= filter.to || matchesNothing(filter)
}

/** Returns the rows that are summed, as SQL to follow `FROM`. */
function usageSource(conditions: Conditions, filter: UsageFilter): string {
  const from = Math.floor(filter.from / HOUR_MS)
  const to = Math.ceil(filter.to / HOUR_MS)
  conditions.add("hour >= ?", from)
  conditions.add("hour < ?", to)
  addNames(conditions, filter)
  return `usage_hours ${conditions.where}`
}
