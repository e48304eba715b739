import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import {
  type EntryRange,
  MAX_REQUEST_MS,
  type NewEntry,
  type StatementLine,
  type StatementReads,
} from "../entries.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { receive } from "./debts.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import { addEntry } from "./ledger-lines.ts"
import { literal, perEngine, sql, where } from "./sql.ts"
import { row, rows, statements, type Step, type StepMethods, transaction } from "./step.ts"

interface RangeRow {
  readonly after: bigint | null
  readonly last: bigint | null
}

const COLUMNS = literal(ENTRY_COLUMNS)

const MODEL = perEngine({
  sqlite: sql`json_extract(receipt, '$.model')`,
  postgresql: sql`(SELECT nullif(model, '') FROM receipts WHERE receipts.request = entries.request)`,
})

export const statementSteps: StepMethods<StatementReads> = {
  listStatementLines: statements(listStatementLines),
  findRange: statements(findRange),
}

export const entrySteps: StepMethods<Store["entries"]> = {
  list: statements(list),
  listBack: statements(listBack),
  ...statementSteps,
  add: transaction((entry, audit) => audited(audit, addReceived(entry))),
}

/**
 * Adds an entry. If it adds credits, these pay the account's debt first.
 * @throws StoreError.
 */
export function addReceived(entry: NewEntry): Step<EntryRecord> {
  return receive(addEntry(entry))
}

function* list(account: string, after: number, limit: number): Step<EntryRecord[]> {
  const found = yield* rows<EntryRow>(
    sql`SELECT ${COLUMNS} FROM entries WHERE account = ${account} AND number > ${after} ORDER BY number LIMIT ${limit}`,
  )
  return found.map(entryFromRow)
}

/** Lists entries, newest first. The index on kinds contains no charges, and is only used if the query excludes them. */
function* listBack(
  account: string,
  before: number | null,
  limit: number,
  kind: EntryKind | null,
): Step<EntryRecord[]> {
  const found = yield* rows<EntryRow>(
    sql`SELECT ${COLUMNS} FROM entries ${where(
      sql`account = ${account}`,
      before === null ? sql`number IS NOT NULL` : sql`number < ${before}`,
      kind !== null && sql`kind = ${kind}`,
      kind !== null && kind !== "charge" && sql`kind <> 'charge'`,
    )} ORDER BY number DESC LIMIT ${limit}`,
  )
  return found.map(entryFromRow)
}

function* listStatementLines(account: string, after: number, limit: number): Step<StatementLine[]> {
  const found = yield* rows<EntryRow & { readonly model: string | null }>(
    sql`SELECT ${COLUMNS}, ${MODEL} AS model FROM entries
      WHERE account = ${account} AND number > ${after} ORDER BY number LIMIT ${limit}`,
  )
  return found.map((line) => ({ ...entryFromRow(line), model: line.model }))
}

/**
 * Finds the positions of two times by bisection. Each is the number of an entry that is older than the time and whose
 * next entry is not older. Entries may be out of chronological order by up to the longest duration of a request, so the
 * times are extended by that duration.
 */
function* findRange(account: string, from: number, until: number): Step<EntryRange> {
  const first = sql`CAST(${from - MAX_REQUEST_MS} AS bigint)`
  const end = sql`CAST(${until + MAX_REQUEST_MS} AS bigint)`
  const last = perEngine({
    sqlite: sql`SELECT number FROM entries WHERE account = ${account} AND number IS NOT NULL ORDER BY number DESC LIMIT 1`,
    postgresql: sql`SELECT number FROM balances WHERE owner = ${account}`,
  })
  const middle = sql`(older + younger) / 2`
  // With a join, PostgreSQL would read all entries of the account.
  const isOlder = sql`coalesce((SELECT at FROM entries WHERE account = ${account} AND number = ${middle}), 0) < moment`
  const range = yield* row<RangeRow>(
    sql`WITH RECURSIVE moments (moment) AS (VALUES (${first}), (${end})),
      search (moment, older, younger) AS (
        SELECT moment, CAST(0 AS bigint), (${last}) + 1 FROM moments
        UNION ALL
        SELECT moment, CASE WHEN ${isOlder} THEN ${middle} ELSE older END,
          CASE WHEN ${isOlder} THEN younger ELSE ${middle} END
        FROM search WHERE younger - older > 1
      )
      SELECT max(older) FILTER (WHERE moment = ${first}) AS after, max(older) FILTER (WHERE moment = ${end}) AS last
      FROM search`,
  )
  return { after: Number(range?.after ?? 0n), last: Number(range?.last ?? 0n) }
}
