import type { RequestCount, RequestFilter } from "../requests.ts"
import type { Statements } from "./client.ts"
import { matchesNothing } from "../text-filters.ts"
import { Conditions } from "./conditions.ts"
import { labelledReceipts } from "./label-conditions.ts"
import { isRequest, narrow } from "./requests-list.ts"

interface CountRow {
  readonly part: bigint
  readonly answered: bigint
  readonly failed: bigint
}

/**
 * Returns the number of requests that began in each interval.
 * @param step length of an interval in milliseconds.
 */
export async function countRequests(
  statements: Statements,
  filter: RequestFilter,
  step: number,
): Promise<RequestCount[]> {
  if (matchesNothing(filter) || filter.labels?.some(matchesNothing)) return []
  const conditions = new Conditions()
  narrow(conditions, filter, await isRequest(statements, filter.search))
  conditions.among("account", filter.accounts)
  const source = labelledReceipts(conditions, filter.labels) ?? "receipts"
  const rows = await statements.rows<CountRow>(
    `SELECT at / ${step} AS part, count(*) FILTER (WHERE NOT failed) AS answered,
       count(*) FILTER (WHERE failed) AS failed
     FROM ${source} ${conditions.where} GROUP BY 1`,
    conditions.values,
  )
  return rows.map(({ part, answered, failed }) => ({
    at: Number(part) * step,
    answered: Number(answered),
    failed: Number(failed),
  }))
}
