import type { Database } from "bun:sqlite"
import type { RequestCount, RequestFilter, RequestPlace } from "../requests.ts"
import { readsOf, type Source, sourceOf } from "./requests-list.ts"
import { Conditions } from "./conditions.ts"

/** A filter with the only rows that can match it; undefined if these are unknown. */
export interface FilteredRows {
  readonly filter: RequestFilter
  readonly rows: readonly bigint[] | undefined
}

interface CountRow {
  readonly part: bigint
  readonly requests: bigint
  readonly failures: bigint
}

/**
 * Returns the number of requests that match at least one of the filters and began in each interval.
 * @param step length of an interval in milliseconds.
 */
export function countRequests(
  index: Database,
  filters: readonly FilteredRows[],
  step: number,
): RequestCount[] {
  const scans = scansOf(index, filters)
  // Scans of several filters may find the same request. Those of a single filter never do.
  const counted =
    filters.length > 1
      ? [countDistinct(index, scans, step)]
      : scans.map((scan) => countScan(index, scan, step))
  const parts = new Map<number, RequestCount>()
  for (const { part, requests, failures } of counted.flat()) {
    const begin = Number(part) * step
    const { answered = 0, failed = 0 } = parts.get(begin) ?? {}
    parts.set(begin, {
      at: begin,
      answered: answered + Number(requests - failures),
      failed: failed + Number(failures),
    })
  }
  return [...parts.values()]
}

/**
 * Returns the approximate time since which the filters together have at most `count` matches. Each scan gets an equal
 * part of this number.
 * @returns null if there are fewer matches.
 */
export function reachOfMatches(
  index: Database,
  filters: readonly FilteredRows[],
  count: number,
): number | null {
  const scans = scansOf(index, filters)
  const steps = BigInt(Math.floor(count / Math.max(1, scans.length)))
  const reaches = scans.flatMap(({ conditions, source, at }) => {
    const row = index
      .query<{ at: bigint }, (string | bigint)[]>(
        `SELECT ${at} AS at FROM ${source} ${conditions.where} ORDER BY ${at} DESC LIMIT 1 OFFSET ?`,
      )
      .get(...conditions.values, steps)
    return row ? Number(row.at) : []
  })
  return reaches.length === 0 ? null : Math.max(...reaches)
}

function scansOf(index: Database, filters: readonly FilteredRows[]): Source[] {
  return filters.flatMap(({ filter, rows }) =>
    readsOf(index, filter, rows).map((read) => sourceOf(filter, read)),
  )
}

function countScan(
  index: Database,
  { conditions, source, at }: Source,
  step: number,
): readonly CountRow[] {
  return index
    .query<CountRow, (string | bigint)[]>(
      `SELECT ${at} / ${step} AS part, count(*) AS requests, sum(failed) AS failures
       FROM ${source} ${conditions.where} GROUP BY part`,
    )
    .all(...conditions.values)
}

/**
 * Counts the distinct requests of several scans. A union of all scans in a single statement would exceed SQLite's
 * maximum of 500 terms, because a search can have a scan for each label, key and model in each account.
 */
function countDistinct(
  index: Database,
  scans: readonly Source[],
  step: number,
): readonly CountRow[] {
  index.run(
    "CREATE TEMP TABLE IF NOT EXISTS found_requests (row INTEGER PRIMARY KEY, at INTEGER, failed INTEGER)",
  )
  return index.transaction(() => {
    index.run("DELETE FROM found_requests")
    for (const { conditions, source } of scans) {
      index
        .query(
          `INSERT OR IGNORE INTO found_requests SELECT row, at, failed FROM ${source} ${conditions.where}`,
        )
        .run(...conditions.values)
    }
    const counted = index
      .query<CountRow, []>(
        `SELECT at / ${step} AS part, count(*) AS requests, sum(failed) AS failures
         FROM found_requests GROUP BY part`,
      )
      .all()
    index.run("DELETE FROM found_requests")
    return counted
  })()
}

/**
 * Returns the start time of the request that is `count` entries older than a position, among the requests of the given
 * accounts or with a label; null if there are fewer requests.
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

/** Returns the start time of the request that is `steps` rows older than the newest one. */
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
