import { HOUR_MS } from "#contract/durations.ts"
import { UNINDEXED_NAMES } from "../request-names.ts"
import type { RequestCount, RequestFilter, RequestPlace } from "../requests.ts"
import { matchesNothing } from "../text-filters.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import {
  labelRows,
  LABELLED_AT,
  addNames,
  isRequest,
  narrow,
  receiptsByIds,
} from "./request-conditions.ts"

interface CountRow {
  readonly part: bigint
  readonly answered: bigint
  readonly failed: bigint
}

/**
 * Returns the number of requests that match at least one of the filters and began in each interval.
 * @param step length of an interval in milliseconds.
 */
export async function countRequests(
  statements: Statements,
  filters: readonly RequestFilter[],
  step: number,
): Promise<RequestCount[]> {
  const possible = filters.filter(mayMatch)
  if (possible.length === 0) return []
  const [only, ...others] = possible
  if (only !== undefined && others.length === 0 && isSummed(only, step)) {
    return countHours(statements, only, step)
  }
  const conditions = new Conditions()
  const selects: string[] = []
  for (const filter of possible) selects.push(await selectOf(statements, filter, conditions))
  const rows = await statements.rows<CountRow>(
    `SELECT at / ${step} AS part, count(*) FILTER (WHERE NOT failed) AS answered,
       count(*) FILTER (WHERE failed) AS failed
     FROM (${selects.join(" UNION ")}) AS found GROUP BY 1`,
    conditions.values,
  )
  return rows.map((row) => countOf(row, step))
}

function countOf({ part, answered, failed }: CountRow, step: number): RequestCount {
  return { at: Number(part) * step, answered: Number(answered), failed: Number(failed) }
}

/** Members of a filter that hourly sums support. */
const SUMMED = new Set([
  "accounts",
  "key",
  "keys",
  "model",
  "models",
  ...UNINDEXED_NAMES,
  "from",
  "to",
])

const FIRST_PAGE_HOURS = 24
const PAGE_GROWTH_FACTOR = 2

/** Members of a filter that `request_labels` supports. */
const LABELLED = new Set(["labels", "from", "to"])

/** Whether the hourly sums count the requests of a filter by keys or models. */
function isSummed(filter: RequestFilter, step: number): boolean {
  const { keys, models, labels = [], from = 0, to = 0 } = filter
  const isOfNames =
    labels.length === 0 &&
    Object.entries(filter).every(
      ([name, value]) => value === undefined || name === "labels" || SUMMED.has(name),
    )
  const isWhole = [from, to, step].every((time) => time % HOUR_MS === 0)
  return (keys ?? models) !== undefined && isOfNames && isWhole
}

async function countHours(
  statements: Statements,
  filter: RequestFilter,
  step: number,
): Promise<RequestCount[]> {
  const { where, values } = hoursOf(filter)
  const rows = await statements.rows<CountRow>(
    `SELECT hour::bigint * ${HOUR_MS} / ${step} AS part, sum(requests - errors) AS answered, sum(errors) AS failed
     FROM usage_hours ${where} GROUP BY 1`,
    values,
  )
  return rows.map((row) => countOf(row, step))
}

function mayMatch(filter: RequestFilter): boolean {
  return !matchesNothing(filter) && filter.labels?.some(matchesNothing) !== true
}

async function selectOf(
  statements: Statements,
  filter: RequestFilter,
  { values }: Conditions,
): Promise<string> {
  if (isOnlyLabelled(filter)) return labelledSelect(filter, values)
  const conditions = new Conditions(values)
  narrow(conditions, filter, await isRequest(statements, filter.search))
  conditions.among("account", filter.accounts)
  const source =
    receiptsByLabels(conditions, filter) ??
    receiptsByIds(conditions, filter) ??
    receiptsInHours(conditions, filter) ??
    "receipts"
  return `SELECT receipts.request, receipts.at, receipts.failed FROM ${source} ${conditions.where}`
}

/** Whether labels and times are the only conditions of a filter. */
function isOnlyLabelled(filter: RequestFilter): boolean {
  const { labels = [] } = filter
  return (
    labels.length > 0 &&
    Object.entries(filter).every(([name, value]) => value === undefined || LABELLED.has(name))
  )
}

/** Selects requests with labels. Only the few receipts of failed requests are read. */
function labelledSelect({ labels, from, to }: RequestFilter, values: Conditions["values"]): string {
  const conditions = new Conditions(values)
  const rows = labelRows(conditions, labels)
  addTimes(conditions, LABELLED_AT, { from, to })
  const failed = new Conditions(values)
  failed.always("failed")
  addTimes(failed, "at", { from, to })
  return `SELECT label_request AS request, label_at AS at, failures.request IS NOT NULL AS failed FROM ${rows}
    LEFT JOIN (SELECT request FROM receipts ${failed.where} OFFSET 0) AS failures ON failures.request = label_request
    ${conditions.where}`
}

/** Returns the receipts with labels. Each receipt takes one index lookup: `OFFSET` prevents a scan of all receipts. */
function receiptsByLabels(conditions: Conditions, filter: RequestFilter): string | undefined {
  const { labels = [] } = filter
  if (labels.length === 0) return undefined
  const rows = labelRows(conditions, labels)
  addTimes(conditions, LABELLED_AT, filter)
  return `${rows} CROSS JOIN LATERAL (SELECT * FROM receipts WHERE request = label_request OFFSET 0) AS receipts`
}

function addTimes(
  conditions: Conditions,
  column: string,
  { from, to }: Pick<RequestFilter, "from" | "to">,
): void {
  conditions.add(`${column} >= ?`, from)
  conditions.add(`${column} < ?`, to)
}

/**
 * Returns the receipts of the hours in which some keys or models were used, because no index contains keys or models.
 */
function receiptsInHours(conditions: Conditions, filter: RequestFilter): string | undefined {
  if ((filter.keys ?? filter.models) === undefined) return undefined
  const hours = hoursOf(filter, conditions.values)
  return `(SELECT DISTINCT hour FROM usage_hours ${hours.where}) AS hours JOIN receipts
    ON receipts.at >= hour::bigint * ${HOUR_MS} AND receipts.at < (hour::bigint + 1) * ${HOUR_MS}`
}

function hoursOf(filter: RequestFilter, values: Conditions["values"] = []): Conditions {
  const hours = new Conditions(values)
  hours.among("account", filter.accounts)
  addNames(hours, filter)
  if (filter.from !== undefined) hours.add("hour >= ?", Math.floor(filter.from / HOUR_MS))
  if (filter.to !== undefined) hours.add("hour < ?", Math.ceil(filter.to / HOUR_MS))
  return hours
}

/**
 * Returns the approximate time since which no filter has more than `count` matches.
 * @returns null if each filter has fewer matches.
 */
export async function reachOfMatches(
  statements: Statements,
  filters: readonly RequestFilter[],
  count: number,
): Promise<number | null> {
  const reaches = await Promise.all(
    filters.filter(mayMatch).map(async (filter) => {
      if (filter.requests !== undefined) return null
      if (filter.labels !== undefined && filter.labels.length > 0)
        return reachOf(statements, filter, null, count)
      if ((filter.keys ?? filter.models) === undefined)
        return reachOfScan(statements, filter, count)
      return reachOfHours(statements, filter, count)
    }),
  )
  const known = reaches.filter((reach) => reach !== null)
  return known.length === 0 ? null : Math.max(...known)
}

async function reachOfScan(
  statements: Statements,
  filter: RequestFilter,
  count: number,
): Promise<number | null> {
  const conditions = new Conditions()
  narrow(conditions, filter, await isRequest(statements, filter.search))
  conditions.among("account", filter.accounts)
  const row = await statements.row<{ at: bigint }>(
    `SELECT at FROM receipts ${conditions.where} ORDER BY at DESC LIMIT 1 OFFSET ${count}`,
    conditions.values,
  )
  return row ? Number(row.at) : null
}

/** Adds up the hourly sums in pages, the newest first, so that the database reads only the necessary hours. */
async function reachOfHours(
  statements: Statements,
  filter: RequestFilter,
  count: number,
): Promise<number | null> {
  let [total, before] = [0n, filter.to]
  for (let limit = FIRST_PAGE_HOURS; ; limit *= PAGE_GROWTH_FACTOR) {
    const { where, values } = hoursOf({ ...filter, to: before })
    const rows = await statements.rows<{ hour: number; number: bigint }>(
      `SELECT hour, sum(requests)::bigint AS number FROM usage_hours ${where}
       GROUP BY hour ORDER BY hour DESC LIMIT ${limit}`,
      values,
    )
    for (const { hour, number } of rows) {
      total += number
      before = Number(hour) * HOUR_MS
      if (total > count) return before
    }
    if (rows.length < limit) return null
  }
}

/**
 * Returns the start time of the request that is `count` entries older than a position, among the requests of the given
 * accounts or with a label; null if there are fewer requests.
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
