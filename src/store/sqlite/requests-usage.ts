import type { Database } from "bun:sqlite"
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
import { Conditions } from "./conditions.ts"

const GROUPS: Readonly<Record<UsageGroup, string>> = {
  hour: "hour",
  day: `hour / ${HOURS_OF_DAY} * ${HOURS_OF_DAY}`,
  model: "model",
  key: "key",
  provider: "provider",
  account: "account",
  outcome: "outcome",
}

/** The sums of a time, in groups. */
export function sumUsage(index: Database, filter: UsageFilter, group: UsageGroup): UsageSum[] {
  if (filter.from >= filter.to) return []
  const isTime = group === "hour" || group === "day"
  const parts = partsOf(filter, group).filter(({ from, to }) => from < to)
  if (parts.length === 0) return []
  const reads = parts.map(({ table, from, to }) => {
    const conditions = new Conditions()
    conditions.add("hour >= ?", from)
    conditions.add("hour < ?", to)
    conditions.among("account", filter.accounts)
    conditions.add("key = ?", filter.key)
    conditions.add("model = ?", filter.model)
    return { text: `SELECT * FROM ${table} ${conditions.where}`, values: conditions.values }
  })
  return index
    .query<SumRow, (string | bigint)[]>(
      `SELECT ${GROUPS[group]} AS name, sum(requests) AS requests, sum(errors) AS errors,
        sum(input) AS input, sum(output) AS output, sum(cost) AS cost, sum(written_off) AS written_off,
        sum(durations) AS durations, sum(duration) AS duration,
        sum(first_bytes) AS first_bytes, sum(first_byte) AS first_byte
      FROM (${reads.map(({ text }) => text).join(" UNION ALL ")})
      GROUP BY name HAVING sum(requests) > 0 ORDER BY ${isTime ? "name" : "cost DESC, requests DESC, name"}`,
    )
    .all(...reads.flatMap(({ values }) => values))
    .map(sumFromRow)
}

interface Part {
  readonly table: "usage_days" | "usage_hours"
  readonly from: number
  readonly to: number
}

/** Whole days are read from their own sums, what is left at both ends by the hour. */
function partsOf(filter: UsageFilter, group: UsageGroup): Part[] {
  const from = Math.floor(filter.from / HOUR)
  const to = Math.ceil(filter.to / HOUR)
  const firstDay = Math.ceil(from / HOURS_OF_DAY) * HOURS_OF_DAY
  const lastDay = Math.floor(to / HOURS_OF_DAY) * HOURS_OF_DAY
  if (group === "hour" || firstDay >= lastDay) return [{ table: "usage_hours", from, to }]
  return [
    { table: "usage_hours", from, to: firstDay },
    { table: "usage_days", from: firstDay, to: lastDay },
    { table: "usage_hours", from: lastDay, to },
  ]
}

/** Of the last answers since a moment. */
export function latencies(
  index: Database,
  accounts: readonly string[] | undefined,
  from: number,
): Latencies {
  const durations = (accounts ?? [undefined]).flatMap((account) => {
    const conditions = new Conditions()
    conditions.add("account = ?", account)
    conditions.add("at >= ?", from)
    conditions.always("status = 'settled' AND duration IS NOT NULL")
    const input = account === undefined ? "requests_by_time" : "requests_by_account"
    return index
      .query<DurationRow, (string | bigint)[]>(
        `SELECT at, duration FROM requests INDEXED BY ${input} ${conditions.where}
        ORDER BY at DESC LIMIT ${LATENCY_SAMPLE}`,
      )
      .all(...conditions.values)
  })
  return latenciesOf(durations)
}
