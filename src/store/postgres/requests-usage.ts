import type { Latencies, UsageFilter, UsageGroup, UsageSum } from "../requests.ts"
import {
  type DurationRow,
  HOUR,
  HOURS_OF_DAY,
  latenciesOf,
  LATENCY_SAMPLE,
  sumFromRow,
  type SumRow,
} from "../usage-sums.ts"
import type { Statements } from "./client.ts"
import { Conditions, namesNothing } from "./conditions.ts"
import { ofAccounts } from "./receipts-of-accounts.ts"

const GROUPS: Readonly<Record<UsageGroup, string>> = {
  hour: "hour::bigint",
  day: `(hour / ${HOURS_OF_DAY} * ${HOURS_OF_DAY})::bigint`,
  model: "model",
  key: "key",
  provider: "provider",
  account: "account",
  outcome: "outcome",
}

const SUMS = [
  "requests",
  "errors",
  "input",
  "output",
  "cost",
  "written_off",
  "durations",
  "duration",
  "first_bytes",
  "first_byte",
]
  .map((name) => `sum(${name})::bigint AS ${name}`)
  .join(", ")

/** The sums of a time, in groups. */
export async function sumUsage(
  statements: Statements,
  filter: UsageFilter,
  group: UsageGroup,
): Promise<UsageSum[]> {
  if (filter.from >= filter.to || namesNothing(filter)) return []
  const isTime = group === "hour" || group === "day"
  const conditions = new Conditions()
  conditions.add("hour >= ?", Math.floor(filter.from / HOUR))
  conditions.add("hour < ?", Math.ceil(filter.to / HOUR))
  conditions.among("account", filter.accounts)
  conditions.add("key = ?", filter.key)
  conditions.add("model = ?", filter.model)
  const rows = await statements.rows<SumRow>(
    `SELECT ${GROUPS[group]} AS name, ${SUMS} FROM usage_hours ${conditions.where}
     GROUP BY 1 HAVING sum(requests) > 0
     ORDER BY ${isTime ? "1" : "sum(cost) DESC, sum(requests) DESC, 1"}`,
    conditions.values,
  )
  return rows.map(sumFromRow)
}

/** Of the last answers since a moment. */
export async function latencies(
  statements: Statements,
  accounts: readonly string[] | undefined,
  from: number,
): Promise<Latencies> {
  const conditions = new Conditions()
  conditions.add("at >= ?", from)
  conditions.always("status = 'settled' AND duration IS NOT NULL")
  const found = ofAccounts(conditions, accounts, {
    columns: "at, duration",
    end: `ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
  })
  return latenciesOf(await statements.rows<DurationRow>(found, conditions.values))
}
