import type {
  FailedAttempt,
  FailedRequest,
  FailureFilter,
  FailureLimits,
  FailureLog,
  FailureSearch,
  FoundFailures,
} from "../failure-log.ts"
import { matchesNothing } from "../text-filters.ts"
import type { TimePosition } from "../time-position.ts"
import {
  containsAnyCase,
  list as listOf,
  literal,
  matchesGlob,
  oneOf,
  perEngine,
  sql,
  type Sql,
  where,
} from "./sql.ts"
import { row, rows, run, statements, type Step, type StepMethods } from "./step.ts"

/** Maximum rows per INSERT. There is a separate prepared statement for each number of rows. */
const SLICE = 20
/**
 * Maximum number of the newest failed requests, and of the newest attempts, that one search reads on PostgreSQL. SQLite
 * reads all of them in the same time.
 */
const MAX_SEARCHED = 30_000

/** A stored failure, whose integers are `bigint`. */
type Row<Failure extends FailedRequest | FailedAttempt> = Omit<Failure, "at" | "status"> & {
  readonly at: bigint
  readonly status: bigint
}

const REQUEST_COLUMNS = sql`request, at, endpoint, status, kind, parameter, message, account, key, model`
const ATTEMPT_COLUMNS = sql`request, at, deployment, status, kind, code, message`

/** Each statement must be safe to run twice. */
export const failureLogSteps: StepMethods<FailureLog> = {
  add: statements(add),
  find: statements(find),
  attempts: statements(attemptsOf),
  list: statements(list),
  searchReach: statements(searchReach),
  search: statements(search),
  count: statements(count),
  sweep: statements(sweep),
}

function* add(requests: readonly FailedRequest[], attempts: readonly FailedAttempt[]): Step<void> {
  yield* insert(sql`failed_requests (${REQUEST_COLUMNS})`, requests.map(requestValues))
  yield* insert(sql`failed_attempts (${ATTEMPT_COLUMNS})`, attempts.map(attemptValues))
}

function* insert(table: Sql, values: readonly Sql[]): Step<void> {
  for (let start = 0; start < values.length; start += SLICE) {
    const slice = listOf(values.slice(start, start + SLICE))
    yield* run(sql`INSERT INTO ${table} VALUES ${slice} ON CONFLICT DO NOTHING`)
  }
}

function requestValues(failed: FailedRequest): Sql {
  const { request, at, endpoint, status, kind, parameter, message, account, key, model } = failed
  return sql`(${request}, ${at}, ${endpoint}, ${status}, ${kind}, ${parameter}, ${message}, ${account}, ${key}, ${model})`
}

function attemptValues(failed: FailedAttempt): Sql {
  const { request, at, deployment, status, kind, code, message } = failed
  return sql`(${request}, ${at}, ${deployment}, ${status}, ${kind}, ${code}, ${message})`
}

function* find(request: string): Step<FailedRequest | null> {
  if (matchesNothing({ request })) return null
  const found = yield* row<Row<FailedRequest>>(
    sql`SELECT ${REQUEST_COLUMNS} FROM failed_requests WHERE request = ${request}`,
  )
  return found && withNumbers(found)
}

function* attemptsOf(request: string): Step<FailedAttempt[]> {
  if (matchesNothing({ request })) return []
  const found = yield* rows<Row<FailedAttempt>>(
    sql`SELECT ${ATTEMPT_COLUMNS} FROM failed_attempts WHERE request = ${request} ORDER BY at, deployment`,
  )
  return found.map(withNumbers)
}

function* list(
  filter: FailureFilter,
  after: TimePosition | null,
  limit: number,
): Step<FailedRequest[]> {
  if (matchesNothing(filter)) return []
  const found = yield* rows<Row<FailedRequest>>(
    sql`SELECT ${REQUEST_COLUMNS} FROM failed_requests ${where(...conditionsOf(filter), after && isAfterPlace(after))}
      ORDER BY at DESC, request DESC LIMIT ${limit}`,
  )
  return found.map(withNumbers)
}

function* searchReach(filter: FailureFilter, after: TimePosition | null): Step<number | null> {
  if (matchesNothing(filter)) return null
  const { accounts, from, to } = filter
  const range = where(...conditionsOf({ accounts, from, to }), after && isAfterPlace(after))
  const found = yield* row<{ readonly at: bigint }>(
    sql`${perEngine({
      sqlite: sql`SELECT at FROM failed_requests WHERE false`,
      postgresql: sql`SELECT at FROM failed_requests ${range}
        ORDER BY at DESC, request DESC LIMIT 1 OFFSET ${MAX_SEARCHED}`,
    })}`,
  )
  return found && Number(found.at)
}

function isAfterPlace({ at, id }: TimePosition): Sql {
  return sql`(at, request) < (${at}, ${id})`
}

function* search(query: FailureSearch, limit: number): Step<FoundFailures> {
  if (matchesNothing(query)) return { requests: [], unsearched: null }
  const { accounts, kinds, attemptKinds, text } = query
  const unsearched = yield* newestUnsearched(query)
  const range = [
    unsearched !== null && sql`request > ${unsearched}`,
    ...searchedRange(query),
    sql`${containsAnyCase(sql`message`, text)}`,
  ]
  const answered = sql`SELECT request FROM failed_requests
    ${where(...range, sql`kind ${oneOf(kinds)}`, accounts && sql`account ${oneOf(accounts)}`)}
    ORDER BY request DESC LIMIT ${limit}`
  const isOfAccounts =
    accounts &&
    sql`EXISTS (SELECT 1 FROM failed_requests WHERE failed_requests.request = failed_attempts.request
      AND account ${oneOf(accounts)})`
  const attempted = sql`SELECT DISTINCT request FROM failed_attempts
    ${where(...range, attemptKinds && sql`kind ${oneOf(attemptKinds)}`, isOfAccounts)}
    ORDER BY request DESC LIMIT ${limit}`
  const found = yield* rows<{ readonly request: string }>(
    sql`SELECT request FROM (SELECT * FROM (${answered}) AS answered UNION SELECT * FROM (${attempted}) AS attempted)
      AS found ORDER BY request DESC LIMIT ${limit}`,
  )
  return { requests: found.map(({ request }) => request), unsearched }
}

/** Returns the newest request that a search does not read; null if it reads all requests. */
function* newestUnsearched(query: FailureSearch): Step<string | null> {
  const range = where(...searchedRange(query))
  const dropped = (table: "failed_requests" | "failed_attempts") =>
    sql`(SELECT request FROM ${literal(table)} ${range} ORDER BY request DESC LIMIT 1 OFFSET ${MAX_SEARCHED})`
  const found = yield* row<{ readonly request: string | null }>(
    sql`${perEngine({
      sqlite: sql`SELECT NULL AS request`,
      postgresql: sql`SELECT greatest(${dropped("failed_requests")}, ${dropped("failed_attempts")}) AS request`,
    })}`,
  )
  return found?.request ?? null
}

function searchedRange({ from, before }: FailureSearch): (Sql | undefined | false)[] {
  return [
    from !== undefined && sql`request >= ${from}`,
    before !== undefined && sql`request < ${before}`,
  ]
}

function* count(
  filter: FailureFilter,
  step: number,
): Step<{ readonly at: number; readonly count: number }[]> {
  if (matchesNothing(filter)) return []
  const found = yield* rows<{ readonly part: bigint; readonly count: bigint }>(
    sql`SELECT at / CAST(${step} AS bigint) AS part, count(*) AS count FROM failed_requests
      ${where(...conditionsOf(filter))} GROUP BY 1`,
  )
  return found.map(({ part, count }) => ({ at: Number(part) * step, count: Number(count) }))
}

function* sweep({ before, requests, attempts }: FailureLimits): Step<void> {
  yield* run(sql`DELETE FROM failed_requests WHERE at < ${before}`)
  yield* run(sql`DELETE FROM failed_attempts WHERE at < ${before}`)
  yield* run(
    sql`DELETE FROM failed_requests WHERE request IN (SELECT request FROM (
        SELECT request, row_number() OVER (PARTITION BY account ORDER BY at DESC, request DESC) AS place
        FROM failed_requests) AS placed WHERE place > ${requests})`,
  )
  yield* run(
    sql`DELETE FROM failed_attempts
      WHERE at <= (SELECT at FROM failed_attempts ORDER BY at DESC LIMIT 1 OFFSET ${attempts})`,
  )
}

function conditionsOf(filter: FailureFilter): (Sql | undefined | false)[] {
  const { request, accounts, key, endpoint, kind, without = [], model, from, to } = filter
  return [
    request !== undefined && sql`request = ${request}`,
    accounts && sql`account ${oneOf(accounts)}`,
    key !== undefined && sql`key = ${key}`,
    endpoint !== undefined && sql`endpoint = ${endpoint}`,
    kind !== undefined && sql`kind = ${kind}`,
    ...without.map((excluded) => sql`kind <> ${excluded}`),
    model !== undefined && sql`${matchesGlob(sql`model`, model)}`,
    matchesSearch(filter),
    from !== undefined && sql`at >= ${from}`,
    to !== undefined && sql`at < ${to}`,
  ]
}

function matchesSearch({
  search,
  searchedKeys = [],
  hidesMessages = false,
}: FailureFilter): Sql | false {
  if (search === undefined) return false
  const isOfKeys = searchedKeys.length === 0 ? sql`` : sql`OR key ${oneOf(searchedKeys)}`
  const isInMessage = hidesMessages ? sql`` : sql`OR ${containsAnyCase(sql`message`, search)}`
  return sql`(${containsAnyCase(sql`model`, search)} ${isInMessage} ${isOfKeys})`
}

function withNumbers<Record extends { readonly at: bigint; readonly status: bigint }>(
  row: Record,
): Omit<Record, "at" | "status"> & { readonly at: number; readonly status: number } {
  return { ...row, at: Number(row.at), status: Number(row.status) }
}
