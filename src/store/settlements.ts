import type { EntryRecord, WriteOff } from "../accounting/chained-records.ts"
import type { VendorStateRecord } from "./vendor-state.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** A hold that was open when the journal last wrote. */
export interface HoldRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly amount: bigint
  readonly at: number
  /** The receipt to keep if the process dies before the request ends. */
  readonly receipt: string
}

/** One settled request on its way to the book. */
export interface Posting {
  readonly request: string
  readonly account: string
  readonly key: string
  /** The budgets of the key that this draws on. */
  readonly budgets: readonly string[]
  readonly amount: bigint
  /** What it cost beyond that, and nobody pays. */
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

export interface Posted {
  readonly request: string
  /** What was really taken: less than asked only when a lease was lost. */
  readonly charged: bigint
  /** The part of it that came out of the node's lease on the account. */
  readonly fromLease: bigint
  /** The part of it that came out of the node's lease on each of the key's budgets, in their order. */
  readonly fromBudgetLeases: readonly bigint[]
  /** The account's balance after it. */
  readonly balance: bigint
  /** Whether the request had expired before: its process was taken for dead. */
  readonly late: boolean
}

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
