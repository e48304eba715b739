import type { Database } from "bun:sqlite"
import type { RequestCount, RequestFilter } from "../requests.ts"
import { readsOf, sourceOf } from "./requests-list.ts"

interface CountRow {
  readonly part: bigint
  readonly requests: bigint
  readonly failures: bigint
}

/**
 * Returns the number of requests that began in each interval.
 * @param step length of an interval in milliseconds.
 */
export function countRequests(
  index: Database,
  filter: RequestFilter,
  step: number,
): RequestCount[] {
  const parts = new Map<number, RequestCount>()
  for (const read of readsOf(index, filter, undefined)) {
    const { conditions, source, at } = sourceOf(filter, read)
    const rows = index
      .query<CountRow, (string | bigint)[]>(
        `SELECT ${at} / ${step} AS part, count(*) AS requests, sum(failed) AS failures
         FROM ${source} ${conditions.where} GROUP BY part`,
      )
      .all(...conditions.values)
    for (const { part, requests, failures } of rows) {
      const begin = Number(part) * step
      const { answered = 0, failed = 0 } = parts.get(begin) ?? {}
      parts.set(begin, {
        at: begin,
        answered: answered + Number(requests - failures),
        failed: failed + Number(failures),
      })
    }
  }
  return [...parts.values()]
}
