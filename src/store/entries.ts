import type { EntryRecord, EntryKind } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface NewEntry {
  readonly account: string
  /** The kind of entry. Entries of other kinds are added by separate methods. */
  readonly kind: "grant" | "adjustment" | "refund"
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author: string | null
}

/**
 * Maximum duration of a request in milliseconds. A charge has the start time of its request, but is appended when the
 * request ends. Times in the ledger may therefore go backwards, but never by more than this.
 */
export const MAX_REQUEST_MS = 24 * 60 * 60 * 1_000

/**
 * The entries of a time range. All entries up to number `after` are earlier, and all entries after number `last` are
 * later.
 */
export interface EntryRange {
  readonly after: number
  readonly last: number
}

/** An entry for a statement. For a charge, it includes the model. */
export interface StatementLine extends EntryRecord {
  readonly model: string | null
}

/** Reads the entries of a statement, of which there may be very many. */
export interface StatementReads {
  /** Lists entries after a number, in ascending order, with the key and the model of each charge. */
  listStatementLines(account: string, after: number, limit: number): Promise<StatementLine[]>
  /** Finds the entries of an account in a time range. The bounds are Unix milliseconds, and the end is exclusive. */
  findRange(account: string, from: number, until: number): Promise<EntryRange>
}

/** Reads the entries of accounts. */
export interface EntryReads extends StatementReads {
  /** Lists entries after a number, in ascending order. */
  list(account: string, after: number, limit: number): Promise<EntryRecord[]>
  /** Lists the entries below a number, newest first. null starts at the newest entry. */
  listBack(
    account: string,
    before: number | null,
    limit: number,
    kind: EntryKind | null,
  ): Promise<EntryRecord[]>
}

export interface EntryWrites {
  /**
   * Adds an entry.
   * @throws StoreError `not_found`; `insufficient` if the balance would fall below zero or below the leased amount,
   * which `leases.recall` reduces; `too_much` if the balance would exceed the range of the ledger.
   */
  add(entry: NewEntry, audit: NewAuditRecord): Promise<EntryRecord>
}
