import type { EntryRecord, EntryKind } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface NewEntry {
  readonly account: string
  /** The others have methods of their own. */
  readonly kind: "grant" | "adjustment" | "refund"
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author: string | null
}

/**
 * A charge has the time at which its request started and is in the ledger where it ended, so times go back now and then,
 * though never by more than the longest request. Milliseconds.
 */
export const LONGEST_REQUEST = 24 * 60 * 60 * 1_000

/** Where the entries of a time stand: none up to `after` is of it or later, none after `last` of it or before. */
export interface EntryRange {
  readonly after: number
  readonly last: number
}

/** A line of the ledger, with what a statement says of a charge besides. */
export interface StatementLine extends EntryRecord {
  readonly model: string | null
}

/** The entries of accounts' ledgers. */
export interface EntryReads {
  /** In the order of their numbers, from `after` on. */
  list(account: string, after: number, limit: number): Promise<EntryRecord[]>
  /** The newest first, those below a number; null starts at the newest. */
  listBack(
    account: string,
    before: number | null,
    limit: number,
    kind: EntryKind | null,
  ): Promise<EntryRecord[]>
  /** As `list`, with the key and the model of each charge. */
  listStatementLines(account: string, after: number, limit: number): Promise<StatementLine[]>
  /** Where an account's entries of a time are; Unix milliseconds, the end exclusive. */
  findRange(account: string, from: number, until: number): Promise<EntryRange>
}

export interface EntryWrites {
  /**
   * @throws StoreError `not_found`; `insufficient` when the balance would fall below zero or below the
   * leases, which `leases.recall` makes smaller; `too_much` when it would be more than the ledger can hold.
   */
  add(entry: NewEntry, audit: NewAuditRecord): Promise<EntryRecord>
}
