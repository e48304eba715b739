import type { SeriesGroup, UsageFilter, UsageGroup, UsagePoint, UsageSum } from "../requests.ts"
import {
  HOUR,
  HOURS_OF_DAY,
  isLabel,
  pointFromRow,
  type PointRow,
  sumFromRow,
  type SumRow,
  SUMS,
} from "../usage-sums.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions, namesNothing } from "./conditions.ts"
import { LABELLED_AT, labelledReceipts } from "./label-conditions.ts"

const ADDED = SUMS.map((name) => `sum(${name})::bigint AS ${name}`).join(", ")
const DAY = `(hour / ${HOURS_OF_DAY} * ${HOURS_OF_DAY})::bigint`

function expressionOf(group: UsageGroup): string {
  if (group === "hour") return "hour::bigint"
  if (group === "day") return DAY
  if (group === "all") return "''"
  return isLabel(group) ? "label_value" : group
}

/** The sums of a time, in groups. */
export async function sumUsage(
  statements: Statements,
  filter: UsageFilter,
  group: UsageGroup,
): Promise<UsageSum[]> {
  if (isNothing(filter)) return []
  const isTime = group === "hour" || group === "day"
  const conditions = new Conditions()
  const source = usageSource(conditions, filter, group)
  const rows = await statements.rows<SumRow>(
    `SELECT ${expressionOf(group)} AS name, ${ADDED} FROM ${source}
     GROUP BY 1 HAVING sum(requests) > 0
     ORDER BY ${isTime ? "1" : "sum(cost) DESC, sum(requests) DESC, 1"}`,
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
  const source = usageSource(conditions, filter, group)
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
  const isOfNothing = filter.labels?.some(namesNothing) ?? false
  return filter.from >= filter.to || isOfNothing || namesNothing(filter)
}

/** What the sums of a time are made of, as SQL after `FROM`. */
function usageSource(conditions: Conditions, filter: UsageFilter, group: UsageGroup): string {
  const from = Math.floor(filter.from / HOUR)
  const to = Math.ceil(filter.to / HOUR)
  const labelled = labelledReceipts(conditions, filter.labels, isLabel(group) ? group : undefined)
  if (labelled === undefined) {
    conditions.add("hour >= ?", from)
    conditions.add("hour < ?", to)
  } else {
    conditions.add(`${LABELLED_AT} >= ?`, from * HOUR)
    conditions.add(`${LABELLED_AT} < ?`, to * HOUR)
  }
  addNames(conditions, filter)
  if (labelled === undefined) return `usage_hours ${conditions.where}`
  // No sums are kept of labels, of which there may be as many as requests.
  return `(SELECT at / ${HOUR} AS hour, account, key, model, coalesce(provider, '') AS provider, outcome, endpoint,
      label_value, 1 AS requests, failed::int AS errors, input, output, cost, written_off,
      coalesce(provider_cost, cost + written_off) AS provider_cost,
      (status = 'settled' AND duration IS NOT NULL)::int AS durations,
      CASE WHEN status = 'settled' THEN coalesce(duration, 0) ELSE 0 END AS duration,
      (status = 'settled' AND first_byte IS NOT NULL)::int AS first_bytes,
      CASE WHEN status = 'settled' THEN coalesce(first_byte, 0) ELSE 0 END AS first_byte
    FROM ${labelled} ${conditions.where}) AS single`
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
