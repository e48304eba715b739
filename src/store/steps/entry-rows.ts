import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"

/** An entry of the ledger in the form in which the database stores it. */
export interface EntryRow {
  readonly account: string
  readonly number: bigint
  readonly kind: EntryKind
  readonly amount: bigint
  readonly balance: bigint
  readonly at: bigint
  readonly request: string | null
  readonly note: string | null
  readonly author: string | null
  readonly receipt_hash: string | null
  readonly previous_hash: string
  readonly hash: string
  readonly key: string | null
  readonly budgets: number | bigint
}

/** The columns of an entry. */
export const ENTRY_COLUMNS =
  "account, number, kind, amount, balance, at, request, note, author, receipt_hash, previous_hash, hash, key, budgets"

/** Converts a stored entry to a record. */
export function entryFromRow(row: EntryRow): EntryRecord {
  return {
    account: row.account,
    number: Number(row.number),
    kind: row.kind,
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
