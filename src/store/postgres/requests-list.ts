import { isFailure, isGlob } from "../request-search.ts"
import type { RequestFilter, RequestPlace, RequestRecord } from "../requests.ts"
import { HOUR } from "../usage-sums.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions, namesNothing } from "./conditions.ts"
import { starPattern } from "./glob.ts"

interface RequestRow {
  readonly row: bigint
  readonly request: string
  readonly account: string
  readonly key: string
  readonly key_name: string | null
  readonly endpoint: string
  readonly model: string
  readonly provider: string | null
  readonly status: RequestRecord["status"]
  readonly outcome: string
  readonly stream: boolean
  readonly estimated: boolean
  readonly at: bigint
  readonly duration: bigint | null
  readonly first_byte: bigint | null
  readonly input: bigint
  readonly output: bigint
  readonly cost: bigint
  readonly written_off: bigint
}

/** A page of requests: so many, behind a place. */
interface PageOrder {
  readonly after: RequestPlace | null
  readonly limit: number
}

const COLUMNS =
  "position, request, account, key, endpoint, model, provider, status, outcome, stream, estimated, at, duration, first_byte, input, output, cost, written_off"
const ORDER = "ORDER BY at DESC, position DESC"

/** The newest requests that a filter lets through. */
export async function listRequests(
  statements: Statements,
  filter: RequestFilter,
  page: PageOrder,
): Promise<RequestRecord[]> {
  if (namesNothing(filter)) return []
  const conditions = new Conditions()
  const limit = conditions.place(BigInt(page.limit))
  const isOne = await isRequest(statements, filter.search)
  narrow(conditions, filter, isOne)
  if (page.after) {
    conditions.add("at <= ?", page.after.at)
    conditions.always(
      `(at < ${conditions.place(BigInt(page.after.at))} OR position < ${conditions.place(BigInt(page.after.row))})`,
    )
  }
  const found = isOne
    ? readOne(conditions, filter)
    : isSparse(filter)
      ? readByHours(conditions, filter, page)
      : readByTime(conditions, filter, limit)
  const rows = await statements.rows<RequestRow>(
    `SELECT position AS row, request, account, key,
       (SELECT name FROM keys WHERE keys.id = found.key) AS key_name, endpoint, model, provider,
       status, outcome, stream, estimated, at, duration, first_byte, input, output, cost, written_off
     FROM (${found}) AS found ${ORDER} LIMIT ${limit}`,
    conditions.values,
  )
  return rows.map(requestFromRow)
}

/** Whether a search is the complete id of a request. */
async function isRequest(statements: Statements, search: string | undefined): Promise<boolean> {
  if (search === undefined) return false
  const row = await statements.row("SELECT 1 FROM receipts WHERE request = $1", [search])
  return row !== null
}

/** All but the accounts, which decide how the rows are read. */
function narrow(conditions: Conditions, filter: RequestFilter, isOne: boolean): void {
  const { search } = filter
  conditions.add("key = ?", filter.key)
  addModel(conditions, filter.model)
  conditions.add("provider = ?", filter.provider)
  if (filter.failed !== undefined) conditions.always(filter.failed ? "failed" : "NOT failed")
  if (isFailure(search)) conditions.always("failed")
  if (filter.writtenOff) conditions.always("written_off > 0")
  if (isOne) conditions.add("request = ?", search)
  else conditions.add("(strpos(outcome, ?) > 0 OR strpos(request, ?) > 0)", search)
  conditions.add("at >= ?", filter.from)
  conditions.add("at < ?", filter.to)
}

function addModel(conditions: Conditions, model: string | undefined): void {
  if (isGlob(model)) conditions.add("model LIKE ?", starPattern(model))
  else conditions.add("model = ?", model)
}

function readOne(conditions: Conditions, filter: RequestFilter): string {
  conditions.among("account", filter.accounts)
  return `SELECT ${COLUMNS} FROM receipts ${conditions.where}`
}

/** Rows in order of time until there are enough: each account's lie in that order, those of several do not. */
function readByTime(conditions: Conditions, filter: RequestFilter, limit: string): string {
  if (filter.accounts === undefined) {
    return `SELECT ${COLUMNS} FROM receipts ${conditions.where} ${ORDER} LIMIT ${limit}`
  }
  conditions.always("account = a.owner")
  const accounts = conditions.place(texts([...new Set(filter.accounts)]))
  return `SELECT ${COLUMNS} FROM unnest(${accounts}::text[]) AS a (owner)
    CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM receipts ${conditions.where} ${ORDER} LIMIT ${limit}) AS r`
}

/** Whether few of an account's requests may be let through, which the sums by hour know. */
function isSparse({ key, model, provider, search }: RequestFilter): boolean {
  return search === undefined && (key ?? model ?? provider) !== undefined
}

/**
 * Only the hours in which there were such requests. Each has one at least, but for the newest, of which a part is not
 * asked for: so one hour more than requests is enough.
 */
function readByHours(conditions: Conditions, filter: RequestFilter, page: PageOrder): string {
  const { accounts, failed, from, to } = filter
  const hours = new Conditions(conditions.values)
  hours.among("account", accounts)
  hours.add("key = ?", filter.key)
  addModel(hours, filter.model)
  hours.add("provider = ?", filter.provider)
  if (failed !== undefined) hours.always(failed ? "errors > 0" : "requests > errors")
  hours.always(filter.writtenOff ? "written_off > 0" : "requests > 0")
  if (from !== undefined) hours.add("hour >= ?", Math.floor(from / HOUR))
  if (to !== undefined) hours.add("hour < ?", Math.ceil(to / HOUR))
  if (page.after) hours.add("hour <= ?", Math.floor(page.after.at / HOUR))
  conditions.among("account", accounts)
  conditions.always(`at >= h.hour::bigint * ${HOUR} AND at < (h.hour::bigint + 1) * ${HOUR}`)
  return `SELECT ${COLUMNS} FROM (
      SELECT hour FROM usage_hours ${hours.where}
      GROUP BY hour ORDER BY hour DESC LIMIT ${hours.place(BigInt(page.limit + 1))}
    ) AS h CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM receipts ${conditions.where}
      ${ORDER} LIMIT ${hours.place(BigInt(page.limit))}
    ) AS r`
}

function requestFromRow(row: RequestRow): RequestRecord {
  return {
    row: Number(row.row),
    request: row.request,
    account: row.account,
    key: row.key,
    keyName: row.key_name,
    endpoint: row.endpoint,
    model: row.model,
    provider: row.provider,
    status: row.status,
    outcome: row.outcome,
    stream: row.stream,
    estimated: row.estimated,
    at: Number(row.at),
    duration: row.duration === null ? null : Number(row.duration),
    firstByte: row.first_byte === null ? null : Number(row.first_byte),
    input: Number(row.input),
    output: Number(row.output),
    cost: row.cost,
    writtenOff: row.written_off,
  }
}
