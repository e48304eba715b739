import type { NewAuditRecord } from "./audit.ts"
import type { Anchor } from "../accounting/anchor.ts"

/** A row of the ledger, charged or not, with the fields that a verification needs. */
export interface LedgerRow {
  /** Its position among all rows. Rows that become visible later have greater positions. */
  readonly position: number
  /** Null if it is the receipt of a request that was not charged. */
  readonly number: number | null
  readonly account: string
  readonly key: string | null
  readonly at: number
  readonly request: string | null
  readonly isExpired: boolean
  /** Null for charged requests. */
  readonly receipt: string | null
  /** Null in uncharged receipts from before schema 7. */
  readonly hash: string | null
}

/** A balance with a wrong amount. */
export interface BalanceFault {
  readonly fault: "missing" | "leased" | "limit"
  readonly owner: string
  readonly found: bigint
  readonly expected: bigint
}

export interface AnchorStep {
  readonly anchor: Anchor
  /** Whether there are more rows to add. */
  readonly isBehind: boolean
}

/** The sums of rows that were removed because of their age. */
export interface PrunedRows {
  /** Rows from before this moment were removed, Unix milliseconds; 0 if no rows were removed. */
  readonly until: number
  readonly rowCount: number
  /** The sum of their hashes, hexadecimal. */
  readonly hashSum: string
  /** The greatest position among them. */
  readonly lastRow: number
}

/** The last removed entry of an account, which the next entry follows. */
export interface LastPrunedEntry {
  readonly number: number
  readonly balance: bigint
  readonly hash: string
}

export interface PruneStep {
  readonly removed: number
  /** Whether there are more to remove. */
  readonly isBehind: boolean
  /** Whether this was the last step. */
  readonly isPruned: boolean
}

/** Reads the data that proves that the ledger is complete. */
export interface IntegrityReads {
  /** Returns the anchor as last advanced. */
  findAnchor(): Promise<Anchor>
  /** Returns the sums of the removed rows of all accounts. */
  findPrunedRows(): Promise<PrunedRows>
  /** Returns null if no entry of the account was removed. */
  findLastPrunedEntry(account: string): Promise<LastPrunedEntry | null>
  /** Lists the rows of all accounts after a position, in order of position. */
  listRows(after: number, limit: number): Promise<LedgerRow[]>
  /** Lists balances that are missing or disagree with their leases and limits. */
  listBalanceFaults(now: number): Promise<BalanceFault[]>
}

export interface IntegrityWrites {
  /** Advances the anchor over more rows of the ledger. */
  advanceAnchor(at: number): Promise<AnchorStep>
  /**
   * Removes rows from before a moment, the first of a month (UTC): entries with their receipts, up to the anchor. The
   * last entry of each account and the hourly sums of requests stay. Call it until `isBehind` is false.
   * @param audit the record that the last step appends.
   */
  prune(before: number, audit: NewAuditRecord): Promise<PruneStep>
}
