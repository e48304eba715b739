import { HOUR_MS } from "#contract/durations.ts"
import { Database } from "bun:sqlite"
import { dirname, join } from "node:path"
import { isOfSegments } from "../columns/usage-of-segments.ts"
import { AFTER_IDS, ID_PREFIX } from "../request-search.ts"
import type {
  KeyUse,
  RequestFilter,
  Latencies,
  AccountUse,
  AccountUseFilter,
  UsageFilter,
  UsageFirst,
  UsageGroup,
  UsageSum,
} from "../requests.ts"
import {
  changesOf,
  type GroupCost,
  type UsageChange,
  type UsageComparison,
} from "../usage-changes.ts"
import {
  keyUseFromRow,
  type KeyUseRow,
  type DurationRow,
  latenciesOf,
  LATENCY_SAMPLE,
  accountUsesOf,
} from "../usage-sums.ts"
import { contentsFile, failuresFile } from "./log-file.ts"
import type { IndexMethods } from "./reports-on-demand.ts"
import type { Direct, GroupsOf } from "../methods.ts"
import { newestOf, type Schema, SchemaError, versionOf } from "./migrate.ts"
import { openDatabase } from "./open-database.ts"
import { countRequests, type FilteredRows, reachOfMatches } from "./requests-count.ts"
import { RequestIndex } from "./requests-index.ts"
import { listRequests } from "./requests-list.ts"
import { findNames } from "./requests-names.ts"
import { reachOf } from "./requests-count.ts"
import { stepRunner } from "./run-steps.ts"
import { statementSteps } from "../steps/entries.ts"
import { sumCosts, sumUsage, usageSeries } from "./requests-usage.ts"
import { mayBeOfSegments, SegmentUsage } from "./segment-usage.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"
import { REPORTS_SCHEMA } from "./schemas/reports.ts"
import { Conditions } from "./conditions.ts"
import { type WideRow, wideSum, wideSumOf } from "./wide-sums.ts"

/** Maximum time that an update waits for the chunk of another process. */
const BUSY_TIMEOUT_MS = 10_000

/** A schema with which an index of a newer version is rejected instead of deleted. */
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

/** Maximum matches of an id prefix that are looked up individually. */
const MAX_PREFIX_MATCHES = 1_000
/** Maximum size of the index's page cache in KiB. Insertions change many pages at once. */
const CACHE_KIB = 32 * 1024

/** Returns the path of the index, next to the ledger. */
export function reportsPath(databasePath: string): string {
  return join(dirname(databasePath), "reports.db")
}

/**
 * Opens the index next to a ledger, and creates it if it is missing. The ledger is only read.
 * @param databasePath the path of an existing ledger.
 * @throws SchemaError if a newer version of Tollgate, which is about to replace this one, uses the index.
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
  const runStep = stepRunner(ledger)

  return {
    methods: {
      requests: {
        indexNext: () => requests.indexNext(),
        list(filter, after, limit, order = "newest") {
          const rows = rowsOf(ledger, filter)
          const records = listRequests(index, filter, { after, limit, order }, rows)
          const names = keyNamesOf(ledger, [...new Set(records.map(({ key }) => key))])
          return records.map((record) => ({ ...record, keyName: names.get(record.key) ?? null }))
        },
        reach: (filter, before, count) => reachOf(index, filter, before, count),
        count: (filters, step) => countRequests(index, withRows(ledger, filters), step),
        reachOfMatches: (filters, count) => reachOfMatches(index, withRows(ledger, filters), count),
        names: (text, accounts) => findNames({ index, ledger }, text, accounts),
        ...usageReports(index, segments),
        usageSeries: (filter, series) =>
          isOfSegments(filter, series.group) ||
          (mayBeOfSegments(filter, series.group, series.step) && segments.covers(filter))
            ? segments.usageSeries(filter, series)
            : usageSeries(index, filter, series),
        sampleResponses: (filter, group, names) => segments.sampleResponses(filter, group, names),
        latencies: (accounts, from) => latencies(index, accounts, from),
        keyUses: (keys) => keyUses(index, keys),
        accountUses: (filter) => accountUses(index, ledger, filter),
        keyNames: (keys) => keyNamesOf(ledger, keys),
      },
      payloads: contents.methods,
      failures: failures.methods,
      statementLines: {
        listStatementLines: (...page) => runStep(statementSteps.listStatementLines.step(...page)),
        findRange: (...range) => runStep(statementSteps.findRange.step(...range)),
      },
    },
    close() {
      contents[Symbol.dispose]()
      failures[Symbol.dispose]()
      index.close()
      ledger.close()
    },
  }
}

/** Returns the reports that read either segments or stored sums. */
function usageReports(index: Database, segments: SegmentUsage) {
  function readsSegments(filter: UsageFilter, group: UsageGroup): boolean {
    return (
      isOfSegments(filter, group) || (mayBeOfSegments(filter, group) && segments.covers(filter))
    )
  }
  function costsOf(filter: UsageFilter, group: UsageGroup): readonly GroupCost[] {
    return readsSegments(filter, group)
      ? segments.sumUsage(filter, group)
      : sumCosts(index, filter, group)
  }
  return {
    sumUsage: (filter: UsageFilter, group: UsageGroup, first?: UsageFirst): UsageSum[] =>
      readsSegments(filter, group)
        ? segments.sumUsage(filter, group, first)
        : sumUsage(index, filter, group, first),
    usageChanges(
      comparison: UsageComparison,
      groups: readonly UsageGroup[],
      count: number,
    ): UsageChange[][] {
      const { after, before } = comparison
      const labels = groups.filter((group) => isOfSegments(after, group))
      const found = labels.length > 0 ? segments.usageChanges(comparison, labels, count) : []
      return groups.map(
        (group) =>
          found[labels.indexOf(group)] ??
          changesOf(costsOf(after, group), costsOf(before, group), count),
      )
    },
  }
}

function keyNamesOf(ledger: Database, keys: readonly string[]): Map<string, string> {
  const rows = ledger
    .query<{ id: string; name: string }, [string]>(
      "SELECT id, name FROM keys WHERE id IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(keys))
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function withRows(ledger: Database, filters: readonly RequestFilter[]): FilteredRows[] {
  return filters.map((filter) => ({ filter, rows: rowsOf(ledger, filter) }))
}

/**
 * Returns the rows with the ids of a filter or with ids that start with its search text. The ledger's index finds them
 * directly. Undefined if the filter has no ids, or if there are so many matches that a scan soon finds enough.
 */
function rowsOf(
  ledger: Database,
  { requests, search }: RequestFilter,
): readonly bigint[] | undefined {
  if (requests !== undefined) return rowsOfIds(ledger, requests)
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
    .all(search, `${search}${AFTER_IDS}`, BigInt(MAX_PREFIX_MATCHES + 1))
  return rows.length > MAX_PREFIX_MATCHES ? undefined : rows.map(({ row }) => row)
}

function rowsOfIds(ledger: Database, requests: readonly string[]): readonly bigint[] {
  return ledger
    .query<{ row: bigint }, [string]>(
      "SELECT rowid AS row FROM entries WHERE request IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(requests))
    .map(({ row }) => row)
}

/** Opens the index. Commits do not wait for the disk, because rows that are lost in a crash are indexed again. */
function openIndex(path: string, schema: Schema): Database {
  return openDatabase(path, {
    schema,
    synchronous: "NORMAL",
    pragmas: [`cache_size = -${CACHE_KIB}`],
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

function latencies(
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

interface SpentRow extends WideRow<"spent" | "recent"> {
  readonly account: string
}

function accountUses(
  index: Database,
  ledger: Database,
  { accounts, from, recentFrom }: AccountUseFilter,
): AccountUse[] {
  const conditions = new Conditions()
  conditions.add("hour >= ?", Math.floor(from / HOUR_MS))
  conditions.among("account", accounts)
  const spent = index
    .query<SpentRow, (string | bigint)[]>(
      `SELECT account, ${wideSum("cost", "spent")}, ${wideSum("iif(hour >= ?1, cost, 0)", "recent")}
      FROM usage_days ${conditions.where} GROUP BY account`,
    )
    .all(BigInt(Math.floor(recentFrom / HOUR_MS)), ...conditions.values)
    .map((row) => ({
      account: row.account,
      spent: wideSumOf(row, "spent"),
      recently_spent: wideSumOf(row, "recent"),
    }))
  return accountUsesOf(spent, lastUses(index, ledger, accounts))
}

function lastUses(
  index: Database,
  ledger: Database,
  accounts: readonly string[] | undefined,
): Map<string, number> {
  const owned = new Conditions()
  owned.among("account", accounts)
  const keys = ledger
    .query<{ id: string; account: string }, (string | bigint)[]>(
      `SELECT id, account FROM keys ${owned.where}`,
    )
    .all(...owned.values)
  const used = new Conditions()
  if (accounts !== undefined) {
    used.add("key IN (SELECT value FROM json_each(?))", JSON.stringify(keys.map(({ id }) => id)))
  }
  const uses = index
    .query<{ key: string; at: bigint }, (string | bigint)[]>(
      `SELECT key, last_used_at AS at FROM key_uses ${used.where}`,
    )
    .all(...used.values)
  const byKey = new Map(uses.map(({ key, at }) => [key, Number(at)]))
  const last = new Map<string, number>()
  for (const { id, account } of keys) {
    const at = byKey.get(id)
    if (at !== undefined) last.set(account, Math.max(at, last.get(account) ?? at))
  }
  return last
}
