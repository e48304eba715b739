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
  /** The receipt to keep if the process dies before the request ends. */
  readonly receipt: string
}

/** One settled request on its way to the ledger. */
export interface Posting {
  readonly request: string
  readonly account: string
  readonly key: string
  /** The budgets of the key that this draws on. */
  readonly budgets: readonly string[]
  readonly amount: bigint
  /** What it cost beyond that, and no one pays. */
  readonly writtenOff: readonly WriteOff[]
  readonly at: number
  readonly receipt: string
  /** What the vendor keeps of its answer. */
  readonly state?: readonly VendorStateRecord[] | undefined
}

export interface Batch {
  readonly postings: readonly Posting[]
  readonly opened: readonly HoldRecord[]
  /** Requests whose recorded holds are over. */
  readonly closed: readonly string[]
}

/** A settled request, as it was written. */
export type Posted = DrawnCharge

export interface ReceiptRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: number
  readonly body: string
  /** Absent when nothing was charged. */
  readonly entry: EntryRecord | null
  /** The budgets that the charge drew on. */
  readonly budgets: readonly string[]
  /** Whether it took the place of a receipt that said it had expired. */
  readonly late: boolean
  /** What it cost and was not charged. */
  readonly writtenOff: readonly WriteOff[]
}

/** Unix milliseconds, the end exclusive. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** Which receipts are listed. */
export interface ReceiptFilter extends TimeRange {
  /** Absent: those of all accounts. */
  readonly account?: string | undefined
}

/** What becomes of requests: holds while they run, then charges with their receipts, and write-offs. */
export interface SettlementReads {
  /** What an account's requests hold, the oldest first. Those that are soon over are not in it. */
  listHolds(account: string): Promise<HoldRecord[]>
  /** The receipt of a request; null when there is none. */
  findReceipt(request: string): Promise<ReceiptRecord | null>
  /**
   * The receipts of many requests, as far as there are some, in any order.
   * @param range when the requests were, so that not all days are searched.
   */
  findReceipts(requests: readonly string[], range: TimeRange): Promise<ReceiptRecord[]>
  /** In the order of the requests' ids, those after one of them. */
  listReceipts(filter: ReceiptFilter, after: string, limit: number): Promise<ReceiptRecord[]>
  /** What was written off, of some accounts or of all: the newest first, those below a number; null starts at the newest. */
  listWriteOffs(
    accounts: readonly string[] | undefined,
    before: number | null,
    limit: number,
  ): Promise<WriteOffRecord[]>
}

export interface SettlementWrites {
  /**
   * Posts a batch: entries, receipts, balances, leases, holds and vendor state in one transaction. A request that is
   * posted again is not charged again; it is answered as the first time.
   */
  post(node: string, batch: Batch): Promise<Posted[]>
}
