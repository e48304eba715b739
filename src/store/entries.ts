import type { EntryRecord, EntryKind } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface NewEntry {
  readonly account: string
  /** Other kinds have methods of their own. */
  readonly kind: "grant" | "adjustment" | "refund"
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author: string | null
}

/**
 * A charge has the start time of its request, but is appended when the request ends. So times in the ledger may go
 * backwards, but never by more than the longest request.
 */
export const MAX_REQUEST_MS = 24 * 60 * 60 * 1_000

/** The entries of a range of time: all numbers up to `after` are earlier, and all after `last` are later. */
export interface EntryRange {
  readonly after: number
  readonly last: number
}

/** An entry with the model of a charge, for statements. */
export interface StatementLine extends EntryRecord {
  readonly model: string | null
}

/** Reads the entries of accounts. */
export interface EntryReads {
  /** Lists entries after a number, in order of number. */
  list(account: string, after: number, limit: number): Promise<EntryRecord[]>
  /** Lists the entries below a number, newest first; null starts at the newest. */
  listBack(
    account: string,
    before: number | null,
    limit: number,
    kind: EntryKind | null,
  ): Promise<EntryRecord[]>
  /** Lists entries as `list` does, with the key and the model of each charge. */
  listStatementLines(account: string, after: number, limit: number): Promise<StatementLine[]>
  /** Finds an account's entries in a range of time; Unix milliseconds, the end exclusive. */
  findRange(account: string, from: number, until: number): Promise<EntryRange>
}

export interface EntryWrites {
  /**
   * Adds an entry.
   * @throws StoreError `not_found`; `insufficient` if the balance would fall below zero or below the leases, which
   * `leases.recall` reduces; `too_much` if it would exceed the range of the ledger.
   */
  add(entry: NewEntry, audit: NewAuditRecord): Promise<EntryRecord>
}
