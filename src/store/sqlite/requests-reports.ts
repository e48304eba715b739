import { Database } from "bun:sqlite"
import { dirname, join } from "node:path"
import { isOfSegments } from "../columns/usage-of-segments.ts"
import { BEHIND_IDS, ID_PREFIX } from "../request-search.ts"
import type { KeyUse } from "../requests.ts"
import { keyUseFromRow, type KeyUseRow } from "../usage-sums.ts"
import { accountUses } from "./account-uses.ts"
import { latencies } from "./answer-times.ts"
import { contentsFile, failuresFile } from "./log-file.ts"
import type { IndexMethods } from "./index-methods.ts"
import type { Direct, GroupsOf } from "../methods.ts"
import { newestOf, type Schema, SchemaError, versionOf } from "./migrate.ts"
import { openDatabase } from "./open-database.ts"
import { countRequests } from "./requests-count.ts"
import { RequestIndex } from "./requests-index.ts"
import { listRequests } from "./requests-list.ts"
import { reachOf } from "./requests-reach.ts"
import { sumUsage, usageSeries } from "./requests-usage.ts"
import { mayBeOfSegments, SegmentUsage } from "./segment-usage.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"
import { REPORTS_SCHEMA } from "./schemas/reports.ts"

/** How long one process waits for another's chunk. */
const BUSY_TIMEOUT_MS = 10_000

/** For an index that a newer version may use: nothing of it is removed. */
const KEPT_SCHEMA: Schema = {
  ...REPORTS_SCHEMA,
  discard: () => {
    throw new SchemaError("reports.db was written by a newer Tollgate, which replaces this one")
  },
}

interface SqliteReports {
  readonly methods: Direct<GroupsOf<IndexMethods>>
  close(): void
}

/** Requests whose ids begin alike that are found by their ids. */
const MOST_OF_PREFIX = 1_000
/** What of the index is kept in memory at most, KiB: rows go into many places of it at once. */
const CACHE_SIZE = 32 * 1024

/** Where the index of a ledger is: next to it. */
export function reportsPath(databasePath: string): string {
  return join(dirname(databasePath), "reports.db")
}

/**
 * Opens the index next to a ledger, creating it where it does not exist. The ledger is only read.
 * @param databasePath a ledger that exists.
 * @throws SchemaError when a newer Tollgate, which is about to replace this one, uses the index.
 */
export function openSqliteReports(databasePath: string): SqliteReports {
  const ledger = new Database(databasePath, { strict: true, safeIntegers: true })
  ledger.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  ledger.run("PRAGMA query_only = ON")
  const isReplaced = versionOf(ledger) > newestOf(LEDGER_SCHEMA)
  const schema = isReplaced ? KEPT_SCHEMA : REPORTS_SCHEMA
  const index = openIndex(reportsPath(databasePath), schema)
  const requests = new RequestIndex(index, ledger)
  const segments = new SegmentUsage(index)
  const contents = contentsFile(databasePath)
  const failures = failuresFile(databasePath)

  function keyNames(keys: readonly string[]): Map<string, string> {
    const rows = ledger
      .query<{ id: string; name: string }, [string]>(
        "SELECT id, name FROM keys WHERE id IN (SELECT value FROM json_each(?))",
      )
      .all(JSON.stringify(keys))
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  return {
    methods: {
      requests: {
        bringUp: () => requests.bringUp(),
        list(filter, after, limit, order = "newest") {
          const rows = rowsOf(ledger, filter.search)
          const records = listRequests(index, filter, { after, limit, order }, rows)
          const names = keyNames([...new Set(records.map(({ key }) => key))])
          return records.map((record) => ({ ...record, keyName: names.get(record.key) ?? null }))
        },
        reach: (filter, before, count) => reachOf(index, filter, before, count),
        count: (filter, step) => countRequests(index, filter, step),
        sumUsage: (filter, group, first) =>
          isOfSegments(filter, group) || (mayBeOfSegments(filter, group) && segments.covers(filter))
            ? segments.sumUsage(filter, group, first)
            : sumUsage(index, filter, group, first),
        usageSeries: (filter, series) =>
          isOfSegments(filter, series.group) ||
          (mayBeOfSegments(filter, series.group, series.step) && segments.covers(filter))
            ? segments.usageSeries(filter, series)
            : usageSeries(index, filter, series),
        sampleAnswers: (filter, group, names) => segments.sampleAnswers(filter, group, names),
        latencies: (accounts, from) => latencies(index, accounts, from),
        keyUses: (keys) => keyUses(index, keys),
        accountUses: (filter) => accountUses(index, ledger, filter),
        keyNames,
      },
      payloads: contents.methods,
      failures: failures.methods,
    },
    close() {
      contents[Symbol.dispose]()
      failures[Symbol.dispose]()
      index.close()
      ledger.close()
    },
  }
}

/**
 * Where the requests stand whose ids begin with a text, or the one that has it as its id; undefined: it is no such text,
 * or so many begin with it that they are soon found. The ledger finds ids directly, in the index they are searched for.
 */
function rowsOf(ledger: Database, search: string | undefined): readonly bigint[] | undefined {
  if (search === undefined) return undefined
  const one = ledger
    .query<{ row: bigint }, [string]>("SELECT rowid AS row FROM entries WHERE request = ?")
    .get(search)
  if (one) return [one.row]
  if (!search.startsWith(ID_PREFIX)) return undefined
  const rows = ledger
    .query<{ row: bigint }, [string, string, bigint]>(
      "SELECT rowid AS row FROM entries WHERE request >= ? AND request < ? LIMIT ?",
    )
    .all(search, `${search}${BEHIND_IDS}`, BigInt(MOST_OF_PREFIX + 1))
  return rows.length > MOST_OF_PREFIX ? undefined : rows.map(({ row }) => row)
}

/** What is lost in a crash is made again from the ledger, so no commit waits for the disk. */
function openIndex(path: string, schema: Schema): Database {
  return openDatabase(path, {
    schema,
    synchronous: "NORMAL",
    pragmas: [`cache_size = -${CACHE_SIZE}`],
  })
}

function keyUses(index: Database, keys: readonly string[]): KeyUse[] {
  return index
    .query<KeyUseRow, [string]>(
      "SELECT key, last_used_at, requests, spent FROM key_uses WHERE key IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(keys))
    .map(keyUseFromRow)
}
