import type { Payer } from "../accounting/payer.ts"
import type { ListNode } from "../canon/linked-list.ts"
import type { VendorStateRecord } from "../store/vendor-state.ts"
import type { LeasedBalance } from "./leased-balance.ts"

/** Money set aside for one request, until it is settled, released or expires. */
export interface Hold {
  readonly request: string
  readonly payer: Payer
  readonly balances: readonly LeasedBalance[]
  /**
   * Nanocredits. Changes if the request turns out to be different, or if the cost exceeds it and the account has more.
   */
  amount: bigint
  /** Unix milliseconds. */
  readonly at: number
  /** The receipt to store if the process dies first. Called only for recorded holds. */
  readonly receipt: () => string
  /** Whether the database has a record of it. */
  recorded: boolean
  over: boolean
  /** Its node in the list of unrecorded holds; used by the group commit. */
  node?: ListNode<Hold> | undefined
  /** State that the vendor stores with the answer, recorded in the ledger with the charge. */
  state?: readonly VendorStateRecord[]
}

/** The balance of an account or budget that could not cover a hold. */
export interface BalanceSnapshot {
  readonly owner: string
  /** The posted balance, or the rest of a budget. */
  readonly posted: bigint
  readonly available: bigint
  /** The debt of an account; 0 for budgets. */
  readonly debt: bigint
}

/** The result of a settlement. */
export interface Settlement {
  /** Nanocredits taken from the account. */
  readonly charged: bigint
  /** The uncovered part of the cost. */
  readonly writtenOff: bigint
  /** The account's posted balance after it. */
  readonly balance: bigint
}
