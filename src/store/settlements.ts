import type { EntryRecord, WriteOff, WriteOffRecord } from "../accounting/chained-records.ts"
import type { DrawnCharge } from "../accounting/draw.ts"
import type { VendorStateRecord } from "./vendor-state.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** A hold that was recorded because it had been open for some time when settlements were last written. */
export interface HoldRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly amount: bigint
  readonly at: number
  /** The receipt to write if the process dies before the request ends. */
  readonly receipt: string
}

/** A settled request for posting to the ledger. */
export interface Posting {
  readonly request: string
  readonly account: string
  readonly key: string
  /** The charged budgets of the key. */
  readonly budgets: readonly string[]
  readonly amount: bigint
  /** The parts of the cost that are not charged but written off. */
  readonly writtenOff: readonly WriteOff[]
  readonly at: number
  readonly receipt: string
  /** State that the vendor stores for this response. */
  readonly state?: readonly VendorStateRecord[] | undefined
}

export interface Batch {
  readonly postings: readonly Posting[]
  readonly opened: readonly HoldRecord[]
  /** Requests whose holds have ended. */
  readonly closed: readonly string[]
}

/** The result of posting a settled request. */
export type Posted = DrawnCharge

export interface ReceiptRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: number
  readonly body: string
  /** The entry of the charge; null if nothing was charged. */
  readonly entry: EntryRecord | null
  /** The charged budgets. */
  readonly budgets: readonly string[]
  /** Whether the receipt has replaced an expired receipt. */
  readonly late: boolean
  /** The parts of the cost that were written off. */
  readonly writtenOff: readonly WriteOff[]
}

/** A time range in Unix milliseconds. The end is exclusive. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** A filter for receipts. */
export interface ReceiptFilter extends TimeRange {
  /** The account; if absent, all accounts. */
  readonly account?: string | undefined
}

/** Reads the holds of running requests, their charges with receipts, and write-offs. */
export interface SettlementReads {
  /** Lists the recorded holds of an account's requests, oldest first. Short requests have no recorded hold. */
  listHolds(account: string): Promise<HoldRecord[]>
  /** Returns the receipt of a request; null if it has no receipt. */
  findReceipt(request: string): Promise<ReceiptRecord | null>
  /**
   * Returns the receipts of requests, in any order. Requests without a receipt are omitted.
   * @param range the time range in which the requests began, so that not all partitions are searched.
   */
  findReceipts(requests: readonly string[], range: TimeRange): Promise<ReceiptRecord[]>
  /** Lists the receipts after a given request id, in the order of these ids. */
  listReceipts(filter: ReceiptFilter, after: string, limit: number): Promise<ReceiptRecord[]>
  /** Lists the write-offs of one or all accounts below a number, newest first. null starts at the newest write-off. */
  listWriteOffs(
    accounts: readonly string[] | undefined,
    before: number | null,
    limit: number,
  ): Promise<WriteOffRecord[]>
}

export interface SettlementWrites {
  /**
   * Posts a batch of entries, receipts, balances, leases, holds and vendor state in one transaction. A repeated request
   * is not charged again, and its result is the same as the first time.
   */
  post(node: string, batch: Batch): Promise<Posted[]>
}
