import { ownersOfCharge } from "../../accounting/label-budgets.ts"
import { hashUncharged } from "../../accounting/hash-chain.ts"
import type { HoldRecord, ReceiptFilter, ReceiptRecord, TimeRange } from "../settlements.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import { reportOf } from "./postings.ts"
import { writeOffsOf, writeOffsOfAll } from "./write-offs.ts"

interface ReceiptRow {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: bigint
  readonly body: string
  readonly entry: bigint | null
  readonly is_late: boolean
}

/** The receipt of a request; null when there is none. */
export async function findReceipt(
  statements: Statements,
  request: string,
): Promise<ReceiptRecord | null> {
  const row = await statements.row<ReceiptRow>(
    "SELECT request, account, key, at, body, entry, is_late FROM receipts WHERE request = $1",
    [request],
  )
  if (!row) return null
  const { account, key, body, entry: number, is_late: late } = row
  const at = Number(row.at)
  const entryRow =
    number === null
      ? null
      : await statements.row<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM entries WHERE account = $1 AND number = $2 AND at = $3`,
          [account, number, row.at],
        )
  const charge = { budgetBits: entryRow?.budgets ?? 0, account, key, at, receipt: body }
  const budgets = ownersOfCharge(charge)
  const writtenOff = await writeOffsOf(statements, request)
  const entry = entryRow ? entryFromRow(entryRow) : null
  return { request, account, key, at, body, entry, budgets, late, writtenOff }
}

type ListedRow = Omit<ReceiptRow, "entry"> &
  Omit<EntryRow, "number"> & { readonly number: bigint | null }

/** Receipts that were selected, as `r`, with their lines of the ledger. */
const withEntries = (receipts: string): string =>
  `SELECT r.request, r.account, r.key, r.at, r.body, r.is_late, r.entry AS number, e.kind, e.amount, e.balance, e.note,
     e.author, e.receipt_hash, e.previous_hash, e.hash, coalesce(e.budgets, 0) AS budgets
   FROM (${receipts}) AS r LEFT JOIN entries AS e ON e.account = r.account AND e.number = r.entry AND e.at = r.at`

/** The receipts of many requests from a range of time, as far as there are some, in any order. */
export async function findReceipts(
  statements: Statements,
  requests: readonly string[],
  { from, until }: TimeRange,
): Promise<ReceiptRecord[]> {
  const rows = await statements.rows<ListedRow>(
    withEntries(`SELECT request, account, key, at, body, is_late, entry FROM receipts
       WHERE request = ANY($1) AND at >= $2 AND at < $3`),
    [texts(requests), BigInt(from), BigInt(until)],
  )
  return receiptsFromRows(statements, rows)
}

/** In the order of the requests' ids, those after one of them. */
export async function listReceipts(
  statements: Statements,
  { account, from, until }: ReceiptFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ReceiptRecord[]> {
  const conditions = new Conditions()
  conditions.add("request > ?", after)
  conditions.add("account = ?", account)
  conditions.add("at >= ?", from)
  conditions.add("at < ?", until)
  // The planner does not know that other pages follow: it would sort all of them for each.
  await statements.run("SET LOCAL enable_sort = off")
  const rows = await statements.rows<ListedRow>(
    `${withEntries(`SELECT request, account, key, at, body, is_late, entry FROM receipts
       ${conditions.where} ORDER BY request LIMIT ${conditions.place(BigInt(limit))}`)}
     ORDER BY r.request`,
    conditions.values,
  )
  return receiptsFromRows(statements, rows)
}

async function receiptsFromRows(
  statements: Statements,
  rows: readonly ListedRow[],
): Promise<ReceiptRecord[]> {
  const writtenOff = await writeOffsOfAll(statements, rows)
  return rows.map(({ body, is_late: late, ...row }) => {
    const { request, account, key, number } = row
    const at = Number(row.at)
    const charge = { budgetBits: Number(row.budgets), account, key, at, receipt: body }
    return {
      request,
      account,
      key,
      at,
      body,
      entry: number === null ? null : entryFromRow({ ...row, number }),
      budgets: ownersOfCharge(charge),
      late,
      writtenOff: writtenOff.get(request) ?? [],
    }
  })
}

/** Records what expired with a node that died, so that each such request has its receipt. */
export async function expireHolds(
  transaction: Statements,
  holds: readonly HoldRecord[],
): Promise<void> {
  const rows = holds.map((hold) => ({
    request: hold.request,
    account: hold.account,
    key: hold.key,
    at: hold.at,
    body: hold.receipt,
    hash: hashUncharged({ ...hold, isExpired: true }),
    ...reportOf({ ...hold, amount: null, writtenOff: 0n }),
  }))
  if (rows.length > 0)
    await transaction.run("SELECT expire_holds($1::text::json)", [JSON.stringify(rows)])
}
