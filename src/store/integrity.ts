import type { NewAuditRecord } from "./audit.ts"
import type { Anchor } from "../accounting/anchor.ts"

/** A row of the ledger, charged or not, as a check of the ledger needs it. */
export interface LedgerRow {
  /** Where the row is among all rows: what can be read later than another has a greater one. */
  readonly position: number
  /** Null when it is no entry, but the receipt of a request that was not charged. */
  readonly number: number | null
  readonly account: string
  readonly key: string | null
  readonly at: number
  readonly request: string | null
  readonly isExpired: boolean
  /** Only of a request that was not charged. */
  readonly receipt: string | null
  /** Null in receipts of before schema 7 that were not charged. */
  readonly hash: string | null
}

/** A balance that is not what it should be. */
export interface BalanceFault {
  readonly fault: "missing" | "leased" | "limit"
  readonly owner: string
  readonly found: bigint
  readonly expected: bigint
}

export interface AnchorStep {
  readonly anchor: Anchor
  /** Whether there are more rows to take in. */
  readonly isBehind: boolean
}

/** What takes the place of rows that were removed because they were old. */
export interface PrunedRows {
  /** Rows from before this moment were removed, Unix milliseconds; 0: none ever was. */
  readonly until: number
  readonly rowCount: number
  /** The sum of their hashes, hexadecimal. */
  readonly hashSum: string
  /** The greatest position among them. */
  readonly lastRow: number
}

/** The last of an account's removed entries: the next one follows it. */
export interface LastPrunedEntry {
  readonly number: number
  readonly balance: bigint
  readonly hash: string
}

export interface PruneStep {
  readonly removed: number
  /** Whether there are more to remove. */
  readonly isBehind: boolean
  /** Whether this was the last step of them. */
  readonly isPruned: boolean
}

/** What shows that nothing is missing from the ledger. */
export interface IntegrityReads {
  /** How far the ledger was when its anchor was last advanced. */
  findAnchor(): Promise<Anchor>
  /** What takes the place of what was removed. */
  findPrunedRows(): Promise<PrunedRows>
  /** Null where nothing of the account was removed. */
  findLastPrunedEntry(account: string): Promise<LastPrunedEntry | null>
  /** All rows of all accounts in the order of their positions, those after a position. */
  listRows(after: number, limit: number): Promise<LedgerRow[]>
  /** Balances that do not agree with their leases and limits, or are missing. */
  listBalanceFaults(now: number): Promise<BalanceFault[]>
}

export interface IntegrityWrites {
  /** Takes more of the ledger into its anchor. */
  advanceAnchor(at: number): Promise<AnchorStep>
  /**
   * Removes rows from before a moment, the first of a month (UTC): entries with their receipts, as far as the anchor has seen them; of each account its
   * last entry stays. Sums of requests by the hour stay. To be called until it is not behind.
   * @param audit the record of the last step.
   */
  prune(before: number, audit: NewAuditRecord): Promise<PruneStep>
}
