import { HOUR_MS } from "#contract/durations.ts"
import { UNINDEXED_NAMES } from "../request-names.ts"
import {
  type RequestFilter,
  type RequestOrder,
  type RequestPage,
  type RequestPlace,
  type RequestRecord,
  sortColumn,
} from "../requests.ts"
import { LABELLED_AT, labelledReceipts } from "./request-conditions.ts"
import type { PostgresClient } from "./client.ts"
import { matchesNothing } from "../text-filters.ts"
import { Conditions } from "./conditions.ts"
import type { Value } from "./connection-pool.ts"
import { addNames, isRequest, narrow, receiptsByIds } from "./request-conditions.ts"
import { ofAccounts } from "./request-conditions.ts"
import { REQUEST_COLUMNS, requestFromRow, type RequestRow } from "../steps/request-rows.ts"

const COLUMNS = `position, ${REQUEST_COLUMNS}, provider_cost`
const BY_TIME = "at DESC, position DESC"
/** Timeout of a search, slightly shorter than the timeout of the client. */
const SEARCH_TIMEOUT_MS = 7_000

/** Returns a page of the requests that match a filter. */
export async function listRequests(
  client: PostgresClient,
  filter: RequestFilter,
  page: RequestPage,
): Promise<RequestRecord[]> {
  if (matchesNothing(filter) || filter.labels?.some(matchesNothing)) return []
  const conditions = new Conditions()
  const limit = conditions.place(BigInt(page.limit))
  const isOne = await isRequest(client, filter.search)
  narrow(conditions, filter, isOne)
  if (page.after) addPlace(conditions, page.after, page.order)
  const found = readOf(conditions, filter, page, { limit, isOne })
  const text = `SELECT position AS row, ${REQUEST_COLUMNS},
       (SELECT name FROM keys WHERE keys.id = found.key) AS key_name,
       coalesce(provider_cost, cost + written_off) AS provider_cost
     FROM (${found}) AS found ${orderBy(page.order)} LIMIT ${limit}`
  const rows = await (filter.search === undefined
    ? client.rows<RequestRow>(text, conditions.values)
    : search(client, text, conditions.values))
  return rows.map(requestFromRow)
}

/**
 * Searches with a timeout, because a search without matches reads all rows. The server enforces the timeout, so that no
 * abandoned query continues.
 */
function search(
  client: PostgresClient,
  text: string,
  values: readonly Value[],
): Promise<readonly RequestRow[]> {
  return client.consistently(async (transaction) => {
    await transaction.run(`SET LOCAL statement_timeout = ${SEARCH_TIMEOUT_MS}`)
    return transaction.rows<RequestRow>(text, values)
  })
}

function orderBy(order: RequestOrder, byTime = BY_TIME): string {
  const sorted = sortColumn(order)
  return `ORDER BY ${sorted === undefined ? byTime : `${sorted} DESC, ${byTime}`}`
}

/** Restricts the list to requests after a position. */
function addPlace(conditions: Conditions, place: RequestPlace, order: RequestOrder): void {
  const [at, row] = [conditions.place(BigInt(place.at)), conditions.place(BigInt(place.row))]
  const sorted = sortColumn(order)
  if (sorted === undefined) {
    conditions.always(`at <= ${at}`)
    conditions.always(`(at < ${at} OR position < ${row})`)
  } else conditions.add(`(${sorted}, at, position) < (?, ${at}, ${row})`, place.value ?? 0n)
}

/** Reads requests by their ids. */
function readOne(conditions: Conditions, filter: RequestFilter, source = "receipts"): string {
  conditions.among("account", filter.accounts)
  return `SELECT ${COLUMNS} FROM ${source} ${conditions.where}`
}

interface Reading {
  /** The placeholder for the limit. */
  readonly limit: string
  /** Whether the search is for a single request. */
  readonly isOne: boolean
}

/** Returns the query that reads the fewest rows. */
function readOf(
  conditions: Conditions,
  filter: RequestFilter,
  page: RequestPage,
  { limit, isOne }: Reading,
): string {
  if (isOne) return readOne(conditions, filter)
  const byIds = receiptsByIds(conditions, filter)
  if (byIds !== undefined) return readOne(conditions, filter, byIds)
  const labelled = labelledReceipts(conditions, filter.labels)
  if (labelled !== undefined) {
    conditions.add(`${LABELLED_AT} >= ?`, filter.from)
    conditions.add(`${LABELLED_AT} < ?`, filter.to)
    if (page.order === "newest") conditions.add(`${LABELLED_AT} <= ?`, page.after?.at)
    conditions.among("account", filter.accounts)
    return `SELECT ${COLUMNS} FROM ${labelled} ${conditions.where}
      ${orderBy(page.order, `${LABELLED_AT} DESC, position DESC`)} LIMIT ${limit}`
  }
  if (page.order === "newest" && isSparse(filter)) return readByHours(conditions, filter, page)
  const end = `${orderBy(page.order)} LIMIT ${limit}`
  return ofAccounts(conditions, filter.accounts, { columns: COLUMNS, end })
}

/** Whether the filter may match only a few of an account's requests, and the hourly sums can count them. */
function isSparse(filter: RequestFilter): boolean {
  const { key, keys, model, models, search, labelPrefix } = filter
  const names = UNINDEXED_NAMES.map((name) => filter[name])
  const values = [
    filter.minimumCost,
    filter.maximumCost,
    filter.minimumDuration,
    filter.maximumDuration,
  ]
  const isCounted =
    (search ?? labelPrefix) === undefined && values.every((value) => value === undefined)
  const isNamed = [key, keys, model, models, ...names].some((name) => name !== undefined)
  return isCounted && isNamed
}

/**
 * Reads only as many hours with matching requests as necessary. Part of the newest hour may be outside of the range, so
 * its count is ignored.
 */
function readByHours(conditions: Conditions, filter: RequestFilter, page: RequestPage): string {
  const { accounts, from, to } = filter
  const hours = new Conditions(conditions.values)
  hours.among("account", accounts)
  addNames(hours, filter)
  const count = countOf(filter)
  hours.always(`${count} > 0`)
  if (filter.writtenOff) hours.always("written_off > 0")
  if (from !== undefined) hours.add("hour >= ?", Math.floor(from / HOUR_MS))
  if (to !== undefined) hours.add("hour < ?", Math.ceil(to / HOUR_MS))
  if (page.after) hours.add("hour <= ?", Math.floor(page.after.at / HOUR_MS))
  conditions.among("account", accounts)
  conditions.always(`at >= h.hour::bigint * ${HOUR_MS} AND at < (h.hour::bigint + 1) * ${HOUR_MS}`)
  const limit = hours.place(BigInt(page.limit))
  return `SELECT ${COLUMNS} FROM (
      SELECT hour, sum(number) OVER (ORDER BY hour DESC) - number AS found,
        first_value(number) OVER (ORDER BY hour DESC) AS newest
      FROM (
        SELECT hour, ${filter.writtenOff ? "1" : `sum(${count})`} AS number FROM usage_hours ${hours.where}
        GROUP BY hour ORDER BY hour DESC LIMIT ${limit}::bigint + 1
      ) AS counted
    ) AS h CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM receipts ${conditions.where} ORDER BY ${BY_TIME} LIMIT ${limit}
    ) AS r WHERE h.found - h.newest < ${limit}::bigint`
}

/** Returns the number of matching requests in a row of hourly sums. */
function countOf({ failed }: RequestFilter): string {
  if (failed === undefined) return "requests"
  return failed ? "errors" : "(requests - errors)"
}
