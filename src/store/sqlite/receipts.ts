import type { Database, Statement } from "bun:sqlite"
import { ownersOfCharge } from "../../accounting/label-budgets.ts"
import type { EntryKind } from "../../accounting/chained-records.ts"
import { hashUncharged } from "../../accounting/hash-chain.ts"
import type { HoldRecord, Posting, ReceiptFilter, ReceiptRecord } from "../settlements.ts"
import { Conditions } from "./conditions.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "../steps/entry-rows.ts"
import type { WriteOffs } from "./write-offs.ts"

/** The kind of rows of expired requests. They have no number. */
export const EXPIRED = "expired"

/** The row of a request, which is an entry with its receipt, or only the receipt if nothing was charged. */
export type ReceiptRow = Omit<EntryRow, "number" | "request" | "kind"> & {
  request: string
  key: string
  receipt: string
} & ({ number: bigint; kind: EntryKind } | { number: null; kind: typeof EXPIRED | null })

/**
 * Reads and writes receipts. They are in the rows of the ledger, with one row for each request. Methods that write must
 * run inside a transaction.
 */
export class Receipts {
  readonly #database: Database
  readonly #writeOffs: WriteOffs
  readonly #insert: Statement<
    unknown,
    [string, bigint, string, string | null, string, string, string]
  >
  readonly #row: Statement<ReceiptRow, [string]>
  readonly #replace: Statement<unknown, [string]>
  readonly #replaced: Statement<{ found: bigint }, [string]>

  constructor(database: Database, writeOffs: WriteOffs) {
    this.#database = database
    this.#writeOffs = writeOffs
    this.#insert = database.prepare(
      "INSERT INTO entries (account, at, request, kind, key, receipt, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    this.#row = database.prepare(
      `SELECT ${ENTRY_COLUMNS}, receipt FROM entries WHERE request = ? AND receipt IS NOT NULL`,
    )
    this.#replace = database.prepare(
      "UPDATE entries SET request = NULL, replaced = request WHERE request = ?",
    )
    this.#replaced = database.prepare("SELECT 1 AS found FROM entries WHERE replaced = ?")
  }

  row(request: string): ReceiptRow | null {
    return this.#row.get(request)
  }

  find(request: string): ReceiptRecord | null {
    const row = this.#row.get(request)
    return row && this.#read(row)
  }

  /** Returns the receipts after a given request id, in the order of these ids. */
  list({ account, from, until }: ReceiptFilter, after: string, limit: number): ReceiptRecord[] {
    const conditions = new Conditions()
    conditions.add("request > ?", after)
    conditions.always("receipt IS NOT NULL")
    conditions.add("account = ?", account)
    conditions.add("at >= ?", from)
    conditions.add("at < ?", until)
    // With the index on accounts, all rows of an account would be sorted for each page.
    return this.#database
      .query<ReceiptRow, (string | bigint)[]>(
        `SELECT ${ENTRY_COLUMNS}, receipt FROM entries INDEXED BY entries_by_request
         ${conditions.where} ORDER BY request LIMIT ?`,
      )
      .all(...conditions.values, BigInt(limit))
      .map((row) => this.#read(row))
  }

  #read(row: ReceiptRow): ReceiptRecord {
    const { request, account, key, receipt } = row
    const at = Number(row.at)
    const entry = row.number === null ? null : entryFromRow(row)
    const budgets = ownersOfCharge({ budgetBits: Number(row.budgets), account, key, at, receipt })
    const late = this.#replaced.get(request) !== null
    const writtenOff = this.#writeOffs.ofRequest(request)
    return { request, account, key, at, body: receipt, entry, budgets, late, writtenOff }
  }

  /**
   * Writes the receipt of an uncharged request.
   * @returns the hash of its row.
   */
  addUncharged(
    { account, at, request, key, receipt }: Posting | HoldRecord,
    kind: typeof EXPIRED | null,
  ): string {
    const isExpired = kind === EXPIRED
    const hash = hashUncharged({ account, key, request, at, isExpired, receipt })
    this.#insert.run(account, BigInt(at), request, kind, key, receipt, hash)
    return hash
  }

  /** Writes the expired receipt for a hold of a dead node, unless the request already has a receipt. */
  expire(hold: HoldRecord): void {
    if (this.#row.get(hold.request) === null) this.addUncharged(hold, EXPIRED)
  }

  /** Removes the receipt of an expired request, so that its real receipt can be written. */
  replace(request: string): void {
    this.#replace.run(request)
  }
}
