import type {
  SeriesGroup,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsagePoint,
  UsageSum,
} from "../requests.ts"
import {
  endOf,
  HOUR,
  HOURS_OF_DAY,
  pointFromRow,
  type PointRow,
  sumFromRow,
  type SumRow,
  SUMS,
} from "../usage-sums.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions, namesNothing } from "./conditions.ts"

const ADDED = SUMS.map((name) => `sum(${name})::bigint AS ${name}`).join(", ")
const DAY = `(hour / ${HOURS_OF_DAY} * ${HOURS_OF_DAY})::bigint`

function expressionOf(group: UsageGroup): string {
  if (group === "hour") return "hour::bigint"
  if (group === "day") return DAY
  if (group === "all") return "''"
  return group
}

/** The sums of a time, in groups. */
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
  const rows = await statements.rows<SumRow>(
    `SELECT ${expressionOf(group)} AS name, ${ADDED} FROM ${source}
     GROUP BY 1 HAVING sum(requests) > 0
     ${isTime ? "ORDER BY 1" : endOf(first, "1")}`,
    conditions.values,
  )
  return rows.map(sumFromRow)
}

/** The same over time: those of some names apart, and all others together. */
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
  const rows = await statements.rows<PointRow>(
    `SELECT ${step === "day" ? DAY : "hour::bigint"} AS moment,
       CASE WHEN ${name} = ANY(${apart}::text[]) THEN ${name} ELSE '' END AS name, ${ADDED}
     FROM ${source} GROUP BY 1, 2 HAVING sum(requests) > 0 ORDER BY 1, 2`,
    conditions.values,
  )
  return rows.map(pointFromRow)
}

function isNothing(filter: UsageFilter): boolean {
  return filter.from >= filter.to || namesNothing(filter)
}

/** What the sums of a time are made of, as SQL after `FROM`. */
function usageSource(conditions: Conditions, filter: UsageFilter): string {
  const from = Math.floor(filter.from / HOUR)
  const to = Math.ceil(filter.to / HOUR)
  conditions.add("hour >= ?", from)
  conditions.add("hour < ?", to)
  addNames(conditions, filter)
  return `usage_hours ${conditions.where}`
}

/** Which requests are meant, but for their time. */
export function addNames(conditions: Conditions, filter: UsageFilter): void {
  conditions.among("account", filter.accounts)
  conditions.add("key = ?", filter.key)
  conditions.add("model = ?", filter.model)
  conditions.add("provider = ?", filter.provider)
  conditions.add("endpoint = ?", filter.endpoint)
  conditions.add("outcome = ?", filter.outcome)
}
