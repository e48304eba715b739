import { HOUR_MS } from "#contract/durations.ts"
import type { Database } from "bun:sqlite"
import {
  type RequestFilter,
  type RequestPage,
  type RequestPlace,
  type RequestRecord,
  comparisonOf,
  sortColumn,
} from "../requests.ts"
import { Conditions } from "./conditions.ts"
import { AFTER_TEXTS, isFailure, isGlob } from "../request-search.ts"
import { UNINDEXED_NAMES } from "../request-names.ts"
import type { RequestSummary } from "../request-summary.ts"
import {
  REQUEST_COLUMNS,
  requestFromRow,
  type SummaryRow,
  summaryFromRow,
} from "../steps/request-rows.ts"
import type { Label } from "../../accounting/labels.ts"

const COLUMNS = `row, ${REQUEST_COLUMNS}, provider_cost, failed`

/** A scan of a single index in chronological order. */
export interface Read {
  readonly account: string | undefined
  readonly key: string | undefined
  readonly model: string | undefined
  /** The only rows that can match; undefined if unknown. */
  readonly rows: readonly bigint[] | undefined
}

/** Maximum number of scans. If more were necessary, a single scan of all rows would be faster. */
const MAX_READS = 64

/**
 * Returns a page of the requests that match a filter, without the names of their keys.
 * @param rows the rows that the search in the filter refers to, if known.
 */
export function listRequests(
  index: Database,
  filter: RequestFilter,
  page: RequestPage,
  rows?: readonly bigint[],
): RequestRecord[] {
  // An index sorts the rows of one account or model by time, but not the rows of several.
  return readsOf(index, filter, rows)
    .flatMap((read) => readRequests(index, filter, read, page))
    .toSorted(comparisonOf(page.order))
    .slice(0, page.limit)
}

/** Returns the scans that together find all matching requests. Each scan is in chronological order. */
export function readsOf(
  index: Database,
  filter: RequestFilter,
  rows: readonly bigint[] | undefined,
): Read[] {
  const accounts = filter.accounts ?? [undefined]
  const models = modelsOf(index, filter)
  const keys = filter.key === undefined ? (filter.keys ?? [undefined]) : [filter.key]
  if (accounts.length * models.length * keys.length <= MAX_READS) {
    return accounts.flatMap((account) =>
      models.flatMap((model) => keys.map((key) => ({ account, key, model, rows }))),
    )
  }
  const model = isGlob(filter.model) ? undefined : filter.model
  return accounts.map((account) => ({ account, key: filter.key, model, rows }))
}

function modelsOf(
  index: Database,
  { model, models }: RequestFilter,
): readonly (string | undefined)[] {
  if (isGlob(model)) return modelsLike(index, model)
  return model === undefined ? (models ?? [undefined]) : [model]
}

function readRequests(
  index: Database,
  filter: RequestFilter,
  read: Read,
  page: RequestPage,
): RequestRecord[] {
  const hours = hoursOf(index, filter, read, page)
  if (hours === undefined) return readPage(index, filter, read, page)
  const found: RequestRecord[] = []
  for (const hour of hours) {
    const from = Math.max(filter.from ?? -Infinity, hour * HOUR_MS)
    const to = Math.min(filter.to ?? Infinity, (hour + 1) * HOUR_MS)
    found.push(...readPage(index, { ...filter, from, to }, read, page))
    if (found.length >= page.limit) break
  }
  return found
}

/**
 * Returns the hours with requests of a name that no index contains, newest first; undefined if another index can be
 * used. The hours limit the scan if only a few requests match.
 */
function hoursOf(
  index: Database,
  filter: RequestFilter,
  read: Read,
  { after, order }: RequestPage,
): number[] | undefined {
  const { labels = [], failed, writtenOff, search, from, to } = filter
  const kind = UNINDEXED_NAMES.find((unindexed) => filter[unindexed] !== undefined)
  const isIndexed = (read.account ?? read.model ?? read.rows ?? read.key ?? search) !== undefined
  if (kind === undefined || isIndexed || labels.length > 0) return undefined
  if (order !== "newest" || failed === true || writtenOff === true) return undefined
  const conditions = new Conditions()
  conditions.add("kind = ?", kind)
  conditions.add("name = ?", filter[kind])
  conditions.always("requests > 0")
  if (from !== undefined) conditions.add("hour >= ?", Math.floor(from / HOUR_MS))
  if (to !== undefined) conditions.add("hour < ?", Math.ceil(to / HOUR_MS))
  if (after) conditions.add("hour <= ?", Math.floor(after.at / HOUR_MS))
  return index
    .query<{ hour: bigint }, (string | bigint)[]>(
      `SELECT hour FROM usage_name_hours ${conditions.where} ORDER BY hour DESC`,
    )
    .all(...conditions.values)
    .map(({ hour }) => Number(hour))
}

function readPage(
  index: Database,
  filter: RequestFilter,
  read: Read,
  { after, limit, order }: RequestPage,
): RequestRecord[] {
  const { conditions, source, at } = sourceOf(filter, read)
  const sorted = sortColumn(order)
  if (after) addPlace(conditions, after, { at, sorted })
  const byTime = at === "at" ? "at DESC, row DESC" : "request_at DESC, request_row DESC"
  return index
    .query<SummaryRow, (string | bigint)[]>(
      `SELECT ${COLUMNS} FROM ${source} ${conditions.where}
      ORDER BY ${sorted === undefined ? byTime : `${sorted} DESC, ${byTime}`} LIMIT ?`,
    )
    .all(...conditions.values, BigInt(limit))
    .map(requestFromRow)
}

export interface Source {
  readonly conditions: Conditions
  /** The rows to read, as SQL to follow `FROM`. */
  readonly source: string
  /** The time column by which the rows are sorted. */
  readonly at: string
}

/** Returns the requests of one scan that match a filter. */
export function sourceOf(filter: RequestFilter, read: Read): Source {
  const conditions = new Conditions()
  if (read.rows !== undefined)
    conditions.add("row IN (SELECT value FROM json_each(?))", `[${read.rows.join(",")}]`)
  conditions.add("account = ?", read.account)
  conditions.add("key = ?", read.key)
  conditions.add("model = ?", read.model)
  if (read.key === undefined || filter.key !== undefined) conditions.among("key", filter.keys)
  if (read.model === undefined || filter.model !== undefined)
    conditions.among("model", filter.models)
  if (isGlob(filter.model)) conditions.add("model GLOB ?", globOf(filter.model))
  for (const name of UNINDEXED_NAMES) conditions.add(`${name} = ?`, filter[name])
  const labelled = labelledRequests(conditions, filter.labels)
  addLabelPrefix(conditions, filter.labelPrefix)
  if (filter.failed !== undefined) conditions.always(`failed = ${filter.failed ? 1 : 0}`)
  if (isFailure(filter.search)) conditions.always("failed = 1")
  if (filter.writtenOff) conditions.always("written_off > 0")
  conditions.add("(instr(outcome, ?) > 0 OR instr(request, ?) > 0)", filter.search, 2)
  conditions.add("cost >= ?", filter.minimumCost)
  conditions.add("cost <= ?", filter.maximumCost)
  conditions.add("duration >= ?", filter.minimumDuration)
  conditions.add("duration <= ?", filter.maximumDuration)
  const at = labelled ? "request_at" : "at"
  conditions.add(`${at} >= ?`, filter.from)
  conditions.add(`${at} < ?`, filter.to)
  return { conditions, source: labelled ?? `requests ${orderOf(filter, read)}`, at }
}

function addLabelPrefix(conditions: Conditions, prefix: string | undefined): void {
  if (prefix === undefined) return
  conditions.always(
    "row IN (SELECT request_row FROM request_labels WHERE request_row = row AND value >= ? AND value < ?)",
  )
  conditions.values.push(prefix, prefix + AFTER_TEXTS)
}

/** Restricts the list to requests after a position. */
function addPlace(
  conditions: Conditions,
  { at, row, value }: RequestPlace,
  columns: { readonly at: string; readonly sorted: string | undefined },
): void {
  if (columns.sorted === undefined) {
    conditions.add(`${columns.at} <= ?`, at)
    conditions.add(`(at < ? OR row < ${BigInt(row)})`, at)
  } else {
    conditions.add(
      `(${columns.sorted}, ${columns.at}, row) < (?, ${BigInt(at)}, ${BigInt(row)})`,
      value ?? 0n,
    )
  }
}

/**
 * Removes a request from the list.
 * @returns the removed request; undefined if it was not in the list.
 */
export function removeRequest(index: Database, row: bigint): RequestSummary | undefined {
  const found = index
    .query<SummaryRow, [bigint]>(`DELETE FROM requests WHERE row = ? RETURNING ${COLUMNS}`)
    .get(row)
  index.run("DELETE FROM request_labels WHERE request_row = ?", [row])
  return found ? summaryFromRow(found) : undefined
}

/** Returns the requests after a row of the ledger, in the order of the ledger. */
export function requestsBehind(index: Database, row: bigint, limit: number): RequestSummary[] {
  return index
    .query<SummaryRow, [bigint, bigint]>(
      `SELECT ${COLUMNS} FROM requests WHERE row > ? ORDER BY row LIMIT ?`,
    )
    .all(row, BigInt(limit))
    .map(summaryFromRow)
}

/** Chooses the index, because SQLite cannot determine which one leaves the fewest rows to scan in the right order. */
function orderOf(filter: RequestFilter, { account, key, model, rows }: Read): string {
  if (rows !== undefined) return "NOT INDEXED"
  if (key !== undefined) return "INDEXED BY requests_by_key"
  if (model !== undefined) {
    return `INDEXED BY requests_by_${account === undefined ? "model" : "account_and_model"}`
  }
  const isOfFailures = filter.failed === true || isFailure(filter.search)
  const failures = isOfFailures ? "failed_requests" : "requests"
  const some = filter.writtenOff ? "written_off" : failures
  return `INDEXED BY ${some}_by_${account === undefined ? "time" : "account"}`
}

/**
 * Escapes the characters that have a special meaning only in SQLite's globs. In the gateway's globs, only `*` is
 * special.
 */
function globOf(pattern: string): string {
  return pattern.replace(/[[?]/g, "[$&]")
}

/** Returns all requested model names that match a pattern. Each takes one index lookup. */
function modelsLike(index: Database, pattern: string): string[] {
  return index
    .query<{ name: string }, [string]>(
      `WITH RECURSIVE models (name) AS (
        SELECT min(model) FROM requests UNION ALL
        SELECT (SELECT min(model) FROM requests WHERE model > name) FROM models WHERE name IS NOT NULL
      ) SELECT name FROM models WHERE name GLOB ?`,
    )
    .all(globOf(pattern))
    .map(({ name }) => name)
}

/** Returns the requests that have all of the given labels, as SQL to follow `FROM`; undefined without labels. */
function labelledRequests(
  conditions: Conditions,
  labels: readonly Label[] = [],
): string | undefined {
  const [first, ...others] = labels
  if (first === undefined) return undefined
  conditions.add("label.name = ?", first.name)
  conditions.add("label.value = ?", first.value)
  for (const { name, value } of others) {
    conditions.always(
      `EXISTS (SELECT 1 FROM request_labels AS other WHERE other.name = ? AND other.value = ?
        AND other.request_at = label.request_at AND other.request_row = label.request_row)`,
    )
    conditions.values.push(name, value)
  }
  return "request_labels AS label CROSS JOIN requests ON requests.row = label.request_row"
}
