import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"

/** A line of the ledger as the database keeps it. */
export interface EntryRow {
  account: string
  number: bigint
  kind: string
  amount: bigint
  balance: bigint
  at: bigint
  request: string | null
  note: string | null
  author: string | null
  receipt_hash: string | null
  key: string | null
  budgets: bigint
  previous_hash: string
  hash: string
}

/** An entry as the database keeps it, read back. */
export function entryFromRow(row: EntryRow): EntryRecord {
  return {
    account: row.account,
    number: Number(row.number),
    kind: row.kind as EntryKind,
    amount: row.amount,
    balance: row.balance,
    at: Number(row.at),
    request: row.request,
    note: row.note,
    author: row.author,
    receiptHash: row.receipt_hash,
    key: row.key,
    budgetBits: Number(row.budgets),
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}

/** The columns of a line of the ledger; the receipt of a charge is in the same row. */
export const ENTRY_COLUMNS =
  "account, number, kind, amount, balance, at, request, note, author, receipt_hash, previous_hash, hash, key, budgets"
