import type { NewAuditRecord } from "./audit.ts"
import type { Anchor } from "../accounting/anchor.ts"

/**
 * A row of the ledger with the fields that a verification needs. It is a charge, another entry, or the receipt of an
 * uncharged request.
 */
export interface LedgerRow {
  /** The position of the row among all rows. Rows that become visible later have higher positions. */
  readonly position: number
  /** Number of the entry; null for the receipt of an uncharged request. */
  readonly number: number | null
  readonly account: string
  readonly key: string | null
  readonly at: number
  readonly request: string | null
  readonly isExpired: boolean
  /** The receipt of an uncharged request; null for other rows. */
  readonly receipt: string | null
  /** The hash of the row; null if the row has no hash. */
  readonly hash: string | null
}

/** A balance whose amount is wrong. */
export interface BalanceFault {
  readonly fault: "missing" | "leased" | "limit"
  readonly owner: string
  readonly found: bigint
  readonly expected: bigint
}

export interface AnchorStep {
  readonly anchor: Anchor
  /** Whether there are more rows to add to the anchor. */
  readonly isBehind: boolean
}

/** The sums of rows that were removed because of their age. */
export interface PrunedRows {
  /** Rows from before this moment were removed, in Unix milliseconds; 0 if no rows were removed. */
  readonly until: number
  readonly rowCount: number
  /** The sum of the removed rows' hashes in hexadecimal. */
  readonly hashSum: string
  /** The highest position among the removed rows. */
  readonly lastRow: number
}

/** The last removed entry of an account, to which the hash of the next entry refers. */
export interface LastPrunedEntry {
  readonly number: number
  readonly balance: bigint
  readonly hash: string
}

export interface PruneStep {
  readonly removed: number
  /** Whether there are more rows to remove. */
  readonly isBehind: boolean
  /** Whether this step completed the removal. */
  readonly isPruned: boolean
}

/** Reads the data by which a verification proves that the ledger is complete. */
export interface IntegrityReads {
  /** Returns the anchor in its latest state. */
  findAnchor(): Promise<Anchor>
  /** Returns the sums of all rows that were removed, in all accounts. */
  findPrunedRows(): Promise<PrunedRows>
  /** Returns the last removed entry of an account; null if no entry was removed. */
  findLastPrunedEntry(account: string): Promise<LastPrunedEntry | null>
  /** Lists the rows of all accounts after a position, in ascending order. */
  listRows(after: number, limit: number): Promise<LedgerRow[]>
  /** Lists balances that are missing, or that disagree with their leases and limits. */
  listBalanceFaults(now: number): Promise<BalanceFault[]>
}

export interface IntegrityWrites {
  /** Advances the anchor over more rows of the ledger. */
  advanceAnchor(at: number): Promise<AnchorStep>
  /**
   * Removes rows from before a moment, which must be the start of a UTC month. Entries that the anchor covers are
   * removed with their receipts. The last entry of each account and the hourly sums of requests are kept. It must be
   * called until `isBehind` is false.
   * @param audit the record that the last step appends.
   */
  prune(before: number, audit: NewAuditRecord): Promise<PruneStep>
}
