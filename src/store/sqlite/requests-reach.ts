import type { Database } from "bun:sqlite"
import type { RequestFilter, RequestPlace } from "../requests.ts"
import { Conditions } from "./conditions.ts"

/**
 * Returns the start of the request that is `count` places before a position, among the requests of some accounts or
 * with a label; null if there are fewer requests.
 */
export function reachOf(
  index: Database,
  filter: RequestFilter,
  before: RequestPlace | null,
  count: number,
): number | null {
  const [label] = filter.labels ?? []
  if (label) {
    const conditions = new Conditions()
    conditions.add("name = ?", label.name)
    conditions.add("value = ?", label.value)
    return stepBack(
      index,
      "request_labels",
      { conditions, at: "request_at", filter, before },
      count,
    )
  }
  const accounts = filter.accounts ?? [undefined]
  const steps = Math.floor(count / Math.max(1, accounts.length))
  const reaches = accounts.flatMap((account) => {
    const conditions = new Conditions()
    conditions.add("account = ?", account)
    const table = `requests INDEXED BY requests_by_${account === undefined ? "time" : "account"}`
    return stepBack(index, table, { conditions, at: "at", filter, before }, steps) ?? []
  })
  return reaches.length === 0 ? null : Math.max(...reaches)
}

/** Returns the start of the request that is `steps` rows before the newest one. */
function stepBack(
  index: Database,
  table: string,
  { conditions, at, filter, before }: BackwardRead,
  steps: number,
): number | null {
  conditions.add(`${at} >= ?`, filter.from)
  conditions.add(`${at} < ?`, filter.to)
  conditions.add(`${at} <= ?`, before?.at)
  const row = index
    .query<{ at: bigint }, (string | bigint)[]>(
      `SELECT ${at} AS at FROM ${table} ${conditions.where} ORDER BY ${at} DESC LIMIT 1 OFFSET ?`,
    )
    .get(...conditions.values, BigInt(steps))
  return row ? Number(row.at) : null
}

interface BackwardRead {
  readonly conditions: Conditions
  /** The time column of the rows. */
  readonly at: string
  readonly filter: RequestFilter
  readonly before: RequestPlace | null
}
