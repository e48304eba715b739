import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import { type EntryRange, LONGEST_REQUEST, type NewEntry, type StatementLine } from "../entries.ts"
import type { Store } from "../store.ts"
import type { Statements, Transaction } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { received } from "./debts.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import { addEntry } from "./ledger-lines.ts"
import type { StoreParts } from "./store-parts.ts"

interface RangeRow {
  readonly after: bigint | null
  readonly last: bigint | null
}

export function entryMethods({ client, audited }: StoreParts): Store["entries"] {
  return {
    list: (account, after, limit) => list(client, account, after, limit),
    listBack: (account, before, limit, kind) => listBack(client, { account, before, kind }, limit),
    listStatementLines: (account, after, limit) => listLines(client, account, after, limit),
    findRange: (account, from, until) => findRange(client, account, from, until),
    add: (entry, audit) => audited(audit, (transaction) => addReceived(transaction, entry)),
  }
}

/** Adds an entry; what the account owes is paid with it first. @throws StoreError. */
export async function addReceived(transaction: Transaction, entry: NewEntry): Promise<EntryRecord> {
  return received(transaction, await addEntry(transaction, entry))
}

async function list(
  statements: Statements,
  account: string,
  after: number,
  limit: number,
): Promise<EntryRecord[]> {
  const rows = await statements.rows<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entries WHERE account = $1 AND number > $2 ORDER BY number LIMIT $3`,
    [account, BigInt(after), BigInt(limit)],
  )
  return rows.map(entryFromRow)
}

async function listBack(
  statements: Statements,
  {
    account,
    before,
    kind,
  }: {
    readonly account: string
    readonly before: number | null
    readonly kind: EntryKind | null
  },
  limit: number,
): Promise<EntryRecord[]> {
  const conditions = new Conditions()
  conditions.add("account = ?", account)
  conditions.add("number < ?", before ?? undefined)
  conditions.add("kind = ?", kind ?? undefined)
  // The index on kinds has no charges, and is used where the query says that it asks for none.
  if (kind !== null && kind !== "charge") conditions.always("kind <> 'charge'")
  const rows = await statements.rows<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entries ${conditions.where} ORDER BY number DESC LIMIT ${conditions.place(BigInt(limit))}`,
    conditions.values,
  )
  return rows.map(entryFromRow)
}

async function listLines(
  statements: Statements,
  account: string,
  after: number,
  limit: number,
): Promise<StatementLine[]> {
  const rows = await statements.rows<EntryRow & { readonly model: string | null }>(
    `SELECT ${ENTRY_COLUMNS}, (SELECT nullif(model, '') FROM receipts WHERE receipts.request = entries.request) AS model
     FROM entries WHERE account = $1 AND number > $2 ORDER BY number LIMIT $3`,
    [account, BigInt(after), BigInt(limit)],
  )
  return rows.map((row) => ({ ...entryFromRow(row), model: row.model }))
}

/**
 * For each of two times the number of an entry that is older, while the next one is not: of those before it none is
 * younger by more than the longest request, of those after it none older by more. Halves what is left to look at.
 */
const FIND_RANGE = `
  WITH RECURSIVE search (moment, older, younger) AS (
    SELECT moment, 0::bigint, number + 1 FROM balances, (VALUES ($2::bigint), ($3::bigint)) AS moments (moment)
    WHERE owner = $1 AND number IS NOT NULL
    UNION ALL
    SELECT moment, CASE WHEN is_older THEN middle ELSE older END, CASE WHEN is_older THEN younger ELSE middle END
    FROM (
      SELECT moment, older, younger, (older + younger) / 2 AS middle, coalesce((
        SELECT at FROM entries WHERE account = $1 AND number = (older + younger) / 2), 0) < moment AS is_older
      FROM search WHERE younger - older > 1
    ) AS step
  )
  SELECT max(older) FILTER (WHERE moment = $2) AS after, max(older) FILTER (WHERE moment = $3) AS last FROM search`

async function findRange(
  statements: Statements,
  account: string,
  from: number,
  until: number,
): Promise<EntryRange> {
  const range = await statements.row<RangeRow>(FIND_RANGE, [
    account,
    BigInt(from - LONGEST_REQUEST),
    BigInt(until + LONGEST_REQUEST),
  ])
  return { after: Number(range?.after ?? 0n), last: Number(range?.last ?? 0n) }
}
