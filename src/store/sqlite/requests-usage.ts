import type { Database } from "bun:sqlite"
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
  HOURS_OF_DAY,
  type PointRow,
  pointFromRow,
  sumFromRow,
  type SumRow,
  type AmountName,
  isAmount,
  SUMS,
} from "../usage-sums.ts"
import type { GroupCost } from "../usage-changes.ts"
import { usageSource } from "./usage-source.ts"
import { wideOrder, type WideRow, wideSum, wideSumOf } from "./wide-sums.ts"

const DAY = `hour / ${HOURS_OF_DAY} * ${HOURS_OF_DAY}`

const ADDED = SUMS.map((name) =>
  isAmount(name) ? wideSum(name, name) : `sum(${name}) AS ${name}`,
).join(", ")

/** A row of sums in the form that the database returns, with each amount in two columns. */
type Read<Row extends SumRow> = Omit<Row, AmountName> & WideRow<AmountName>

function withAmounts<Row extends WideRow<AmountName>>(row: Row) {
  return {
    ...row,
    cost: wideSumOf(row, "cost"),
    written_off: wideSumOf(row, "written_off"),
    provider_cost: wideSumOf(row, "provider_cost"),
  }
}

function expressionOf(group: UsageGroup): string {
  if (group === "day") return DAY
  return group === "all" ? "''" : group
}

/** Returns the sums of each group in a time range. */
export function sumUsage(
  index: Database,
  filter: UsageFilter,
  group: UsageGroup,
  first?: UsageFirst,
): UsageSum[] {
  if (filter.from >= filter.to) return []
  const isTime = group === "hour" || group === "day"
  const source = usageSource(filter, group, group !== "hour")
  return index
    .query<Read<SumRow>, (string | bigint)[]>(
      `SELECT ${expressionOf(group)} AS name, ${ADDED} FROM (${source.text})
      GROUP BY name HAVING sum(requests) > 0 ${isTime ? "ORDER BY name" : endOf(first, "name", wideOrder("cost"))}`,
    )
    .all(...source.values)
    .map((row) => sumFromRow(withAmounts(row)))
}

type CostRow = WideRow<"cost"> & { readonly name: string; readonly requests: bigint }

/** Returns the costs and the numbers of requests of groups in a time range, in any order. */
export function sumCosts(index: Database, filter: UsageFilter, group: UsageGroup): GroupCost[] {
  if (filter.from >= filter.to) return []
  const source = usageSource(filter, group, true)
  return index
    .query<CostRow, (string | bigint)[]>(
      `SELECT ${expressionOf(group)} AS name, sum(requests) AS requests, ${wideSum("cost", "cost")}
      FROM (${source.text}) GROUP BY name HAVING sum(requests) > 0`,
    )
    .all(...source.values)
    .map((row) => ({
      group: row.name,
      cost: wideSumOf(row, "cost"),
      requests: Number(row.requests),
    }))
}

/** Returns sums for each interval, separately for each of the given names, and one for all other names. */
export function usageSeries(
  index: Database,
  filter: UsageFilter,
  { group, names, step }: SeriesGroup,
): UsagePoint[] {
  if (filter.from >= filter.to) return []
  const source = usageSource(filter, group, step === "day")
  const name = expressionOf(group)
  return index
    .query<Read<PointRow>, (string | bigint)[]>(
      `SELECT ${step === "day" ? DAY : "hour"} AS moment,
        CASE WHEN ${name} IN (SELECT value FROM json_each(?)) THEN ${name} ELSE '' END AS name, ${ADDED}
      FROM (${source.text}) GROUP BY moment, name HAVING sum(requests) > 0 ORDER BY moment, name`,
    )
    .all(JSON.stringify(names), ...source.values)
    .map((row) => pointFromRow(withAmounts(row)))
}
