import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { reportOf } from "./postings.ts"
import { REPORTED } from "./report-columns.ts"

const ENTRY_COLUMNS =
  "position, account, number, kind, amount, balance, at, request, note, author, receipt_hash, previous_hash, hash, key, budgets"
const RECEIPT_COLUMNS = `request, account, key, at, body, entry, hash, is_expired, position, outcome, cost, written_off,
  provider_cost, ${REPORTED}`
const EXPIRED_COLUMNS = "request, account, key, at, body, hash, position"

/**
 * A row as JSON text. Numbers are strings, because JSON numbers are only exact up to 2^53. Bytes are in hexadecimal.
 */
export type CopiedRecord = Readonly<Record<string, string | null>>

/**
 * Writes rows of the ledger. Entries, receipts, and replaced receipts of expired requests are written to separate
 * tables.
 */
export async function writeEntries(
  transaction: Statements,
  rows: readonly CopiedRecord[],
): Promise<void> {
  const lines = rows.filter(({ number }) => number !== null)
  const expired = rows.filter(({ replaced }) => replaced !== null)
  const receipts = rows.filter(
    ({ request, key, receipt, replaced }) =>
      request !== null && key !== null && receipt !== null && replaced === null,
  )
  await insert(transaction, "entries", ENTRY_COLUMNS, lines)
  await insert(transaction, "receipts", RECEIPT_COLUMNS, await receiptsOf(transaction, receipts))
  await insert(
    transaction,
    "expired_receipts",
    EXPIRED_COLUMNS,
    expired.map((row) => ({ ...row, request: row["replaced"], body: row["receipt"] })),
  )
}

async function insert(
  transaction: Statements,
  table: string,
  columns: string,
  records: readonly object[],
): Promise<void> {
  if (records.length === 0) return
  await transaction.run(
    `INSERT INTO ${table} (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::text::json)`,
    [JSON.stringify(records)],
  )
}

/** Returns receipts with the values that reports need. */
async function receiptsOf(
  transaction: Statements,
  rows: readonly CopiedRecord[],
): Promise<readonly object[]> {
  const requests = rows.map(({ request }) => request ?? "")
  const found = await transaction.rows<{ request: string; amount: bigint }>(
    `SELECT request, stored_amount(sum(amount)) AS amount FROM write_offs WHERE request = ANY($1) GROUP BY request`,
    [texts(requests)],
  )
  const writtenOff = new Map(found.map(({ request, amount }) => [request, amount]))
  return rows.map((row) => receiptOf(row, writtenOff.get(row["request"] ?? "") ?? 0n))
}

function receiptOf(row: CopiedRecord, writtenOff: bigint): object {
  const amount = row["amount"] === null ? null : BigInt(row["amount"] ?? 0)
  const request = row["request"] ?? ""
  const account = row["account"] ?? ""
  const key = row["key"] ?? ""
  const receipt = row["receipt"] ?? ""
  const at = Number(row["at"])
  return {
    ...reportOf({ request, account, key, at, receipt, amount, writtenOff }),
    request,
    account,
    key,
    at: row["at"],
    body: receipt,
    entry: row["number"],
    hash: row["number"] === null ? row["hash"] : null,
    is_expired: row["number"] === null && row["kind"] === "expired",
    position: row["position"],
    cost: String(amount === null ? 0n : -amount),
    written_off: String(writtenOff),
  }
}
