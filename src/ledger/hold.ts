import type { Payer } from "../accounting/payer.ts"
import type { ListNode } from "../canon/linked-list.ts"
import type { VendorStateRecord } from "../store/vendor-state.ts"
import type { LeasedBalance } from "./leased-balance.ts"

/** Credits set aside for one request until it is settled or released, or its hold expires. */
export interface Hold {
  readonly request: string
  readonly payer: Payer
  readonly balances: readonly LeasedBalance[]
  /**
   * Amount in nanocredits. It changes if the request turns out to be different, or if the cost exceeds it and the
   * account has more credits.
   */
  amount: bigint
  /** Time of the hold in Unix milliseconds. */
  readonly at: number
  /** Returns the receipt to store if the process dies first. It is only called for recorded holds. */
  readonly receipt: () => string
  /** Whether the database has a record of the hold. */
  recorded: boolean
  over: boolean
  /** The hold's node in the list of unrecorded holds, used by the group commit. */
  node?: ListNode<Hold> | undefined
  /** State that the vendor stores with the answer. The ledger records it with the charge. */
  state?: readonly VendorStateRecord[]
}

/** The balance of an account or budget that could not cover a hold. */
export interface BalanceSnapshot {
  readonly owner: string
  /** The posted balance of an account, or the remaining amount of a budget. */
  readonly posted: bigint
  readonly available: bigint
  /** The debt of an account; 0 for budgets. */
  readonly debt: bigint
}

/** The result of a settlement. */
export interface Settlement {
  /** Nanocredits charged to the account. */
  readonly charged: bigint
  /** The part of the cost that was not covered, in nanocredits. */
  readonly writtenOff: bigint
  /** The account's posted balance after the charge. */
  readonly balance: bigint
}
