import type { RequestFilter, RequestPlace } from "../requests.ts"
import type { Statements } from "./client.ts"
import { matchesNothing } from "../text-filters.ts"
import { Conditions } from "./conditions.ts"

/**
 * Returns the start of the request that is `count` places before a position, among the requests of some accounts or
 * with a label; null if there are fewer requests.
 */
export async function reachOf(
  statements: Statements,
  filter: RequestFilter,
  before: RequestPlace | null,
  count: number,
): Promise<number | null> {
  const [label] = filter.labels ?? []
  if (matchesNothing(filter) || (label && matchesNothing(label))) return null
  const stepBack = async (table: string, conditions: Conditions, steps: number) => {
    conditions.add("at >= ?", filter.from)
    conditions.add("at < ?", filter.to)
    conditions.add("at <= ?", before?.at)
    const row = await statements.row<{ at: bigint }>(
      `SELECT at FROM ${table} ${conditions.where} ORDER BY at DESC LIMIT 1 OFFSET ${steps}`,
      conditions.values,
    )
    return row ? Number(row.at) : null
  }
  if (label) {
    const conditions = new Conditions()
    conditions.add("name = ?", label.name)
    conditions.add("value = ?", label.value)
    return stepBack("request_labels", conditions, count)
  }
  const accounts = filter.accounts ?? [undefined]
  const steps = Math.floor(count / Math.max(1, accounts.length))
  const reaches = await Promise.all(
    accounts.map((account) => {
      const conditions = new Conditions()
      conditions.add("account = ?", account)
      return stepBack("receipts", conditions, steps)
    }),
  )
  const known = reaches.filter((reach) => reach !== null)
  return known.length === 0 ? null : Math.max(...known)
}
