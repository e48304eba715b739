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
   * Nanocredits. Changes when the request turns out to differ, or when the cost exceeds it and the account has
   * more.
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
  /** State that the vendor retains with the answer: recorded in the ledger with the charge. */
  state?: readonly VendorStateRecord[]
}

/** The balance of an account or budget that could not cover a hold. */
export interface BalanceSnapshot {
  readonly owner: string
  /** The posted balance, or what is left of a budget. */
  readonly posted: bigint
  readonly available: bigint
  /** What an account owes; budgets have no debt. */
  readonly debt: bigint
}

/** The result of a settlement. */
export interface Settlement {
  /** Nanocredits taken from the account. */
  readonly charged: bigint
  /** The part of the cost that nothing could cover. */
  readonly writtenOff: bigint
  /** The account's posted balance after it. */
  readonly balance: bigint
}
