import type { EntryRecord, WriteOff, WriteOffRecord } from "../accounting/chained-records.ts"
import type { DrawnCharge } from "../accounting/draw.ts"
import type { VendorStateRecord } from "./vendor-state.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** A hold that had been open for a while when settlements were last written. */
export interface HoldRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly amount: bigint
  readonly at: number
  /** The receipt to write if the process dies before the request ends. */
  readonly receipt: string
}

/** A settled request, for posting to the ledger. */
export interface Posting {
  readonly request: string
  readonly account: string
  readonly key: string
  /** The budgets of the key that are charged. */
  readonly budgets: readonly string[]
  readonly amount: bigint
  /** The uncharged part of its cost, which is written off. */
  readonly writtenOff: readonly WriteOff[]
  readonly at: number
  readonly receipt: string
  /** State that the vendor stores for its answer. */
  readonly state?: readonly VendorStateRecord[] | undefined
}

export interface Batch {
  readonly postings: readonly Posting[]
  readonly opened: readonly HoldRecord[]
  /** Requests whose holds have ended. */
  readonly closed: readonly string[]
}

/** A settled request, as posted. */
export type Posted = DrawnCharge

export interface ReceiptRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: number
  readonly body: string
  /** Null if nothing was charged. */
  readonly entry: EntryRecord | null
  /** The charged budgets. */
  readonly budgets: readonly string[]
  /** True if it replaced an expired receipt. */
  readonly late: boolean
  /** The uncharged part of its cost. */
  readonly writtenOff: readonly WriteOff[]
}

/** Unix milliseconds, the end exclusive. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** Filters receipts. */
export interface ReceiptFilter extends TimeRange {
  /** Absent: all accounts. */
  readonly account?: string | undefined
}

/** Reads the holds of running requests, their charges with receipts, and write-offs. */
export interface SettlementReads {
  /** Lists the holds of an account's requests, oldest first. Short requests are not included. */
  listHolds(account: string): Promise<HoldRecord[]>
  /** Returns the receipt of a request; null if it has no receipt. */
  findReceipt(request: string): Promise<ReceiptRecord | null>
  /**
   * Returns the existing receipts of requests, in any order.
   * @param range when the requests began, so that not all partitions are searched.
   */
  findReceipts(requests: readonly string[], range: TimeRange): Promise<ReceiptRecord[]>
  /** Lists receipts in the order of the requests' ids, after a given id. */
  listReceipts(filter: ReceiptFilter, after: string, limit: number): Promise<ReceiptRecord[]>
  /** Lists the write-offs of some or all accounts below a number, newest first; null starts at the newest. */
  listWriteOffs(
    accounts: readonly string[] | undefined,
    before: number | null,
    limit: number,
  ): Promise<WriteOffRecord[]>
}

export interface SettlementWrites {
  /**
   * Posts a batch: entries, receipts, balances, leases, holds and vendor state in one transaction. A repeated request
   * is not charged again, and its result is that of the first time.
   */
  post(node: string, batch: Batch): Promise<Posted[]>
}
