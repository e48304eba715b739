import { ownersOfCharge } from "../../accounting/label-budgets.ts"
import type { EntryKind, WriteOff, WriteOffReason } from "../../accounting/chained-records.ts"
import { hashUncharged } from "../../accounting/hash-chain.ts"
import type { HoldRecord, ReceiptFilter, ReceiptRecord, TimeRange } from "../settlements.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { entryFromRow, type EntryRow } from "../steps/entry-rows.ts"
import { reportOf } from "./postings.ts"

/** A receipt with its entry. The columns of the entry are null if nothing was charged or if the entry is missing. */
type ReceiptRow = Omit<EntryRow, "number" | "kind"> & {
  readonly number: bigint | null
  readonly kind: EntryKind | null
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: bigint
  readonly body: string
  readonly is_late: boolean
}

const RECEIPT_COLUMNS = "request, account, key, at, body, is_late, entry"

/** Selects receipts, as `r`, with their entries. */
const withEntries = (receipts: string): string =>
  `SELECT r.request, r.account, r.key, r.at, r.body, r.is_late, r.entry AS number, e.kind, e.amount, e.balance, e.note,
     e.author, e.receipt_hash, e.previous_hash, e.hash, coalesce(e.budgets, 0) AS budgets
   FROM (${receipts}) AS r LEFT JOIN entries AS e ON e.account = r.account AND e.number = r.entry AND e.at = r.at`

/** Returns the receipt of a request; null if it has no receipt. */
export async function findReceipt(
  statements: Statements,
  request: string,
): Promise<ReceiptRecord | null> {
  const rows = await statements.rows<ReceiptRow>(
    withEntries(`SELECT ${RECEIPT_COLUMNS} FROM receipts WHERE request = $1`),
    [request],
  )
  const [receipt] = await receiptsFromRows(statements, rows)
  return receipt ?? null
}

/** Returns the receipts of requests in a time range, in any order. Requests without a receipt are omitted. */
export async function findReceipts(
  statements: Statements,
  requests: readonly string[],
  { from, until }: TimeRange,
): Promise<ReceiptRecord[]> {
  const rows = await statements.rows<ReceiptRow>(
    withEntries(`SELECT ${RECEIPT_COLUMNS} FROM receipts
       WHERE request = ANY($1) AND at >= $2 AND at < $3`),
    [texts(requests), BigInt(from), BigInt(until)],
  )
  return receiptsFromRows(statements, rows)
}

/** Returns the receipts after a given request id, in the order of these ids. */
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
  // The planner does not expect that further pages are read, and would sort all receipts for each page.
  await statements.run("SET LOCAL enable_sort = off")
  const rows = await statements.rows<ReceiptRow>(
    `${withEntries(`SELECT ${RECEIPT_COLUMNS} FROM receipts
       ${conditions.where} ORDER BY request LIMIT ${conditions.place(BigInt(limit))}`)}
     ORDER BY r.request`,
    conditions.values,
  )
  return receiptsFromRows(statements, rows)
}

async function receiptsFromRows(
  statements: Statements,
  rows: readonly ReceiptRow[],
): Promise<ReceiptRecord[]> {
  const writtenOff = await writeOffsOfAll(statements, rows)
  return rows.map(({ body, is_late: late, ...row }) => {
    const { request, account, key, number, kind } = row
    const at = Number(row.at)
    const charge = { budgetBits: Number(row.budgets), account, key, at, receipt: body }
    return {
      request,
      account,
      key,
      at,
      body,
      entry: number === null || kind === null ? null : entryFromRow({ ...row, number, kind }),
      budgets: ownersOfCharge(charge),
      late,
      writtenOff: writtenOff.get(request) ?? [],
    }
  })
}

/** Records a receipt for each hold that expires with its node. */
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

interface WriteOffRow {
  readonly request: string
  readonly amount: bigint
  readonly reason: WriteOffReason
}

/** Returns the write-offs of requests, by request. */
async function writeOffsOfAll(
  statements: Statements,
  requests: readonly { readonly request: string }[],
): Promise<ReadonlyMap<string, WriteOff[]>> {
  const rows = await statements.rows<WriteOffRow>(
    "SELECT request, amount, reason FROM write_offs WHERE request = ANY($1) ORDER BY number",
    [texts(requests.map(({ request }) => request))],
  )
  const found = new Map<string, WriteOff[]>()
  for (const { request, amount, reason } of rows) {
    found.set(request, [...(found.get(request) ?? []), { amount, reason }])
  }
  return found
}
