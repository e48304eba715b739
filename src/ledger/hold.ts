import type { Payer } from "../accounting/payer.ts"
import type { Place } from "../canon/linked-list.ts"
import type { VendorStateRecord } from "../store/vendor-state.ts"
import type { LeasedBalance } from "./leased-balance.ts"

/** Money set aside for one request, until it is settled, released or expires. */
export interface Hold {
  readonly request: string
  readonly payer: Payer
  readonly balances: readonly LeasedBalance[]
  /** Nanocredits. Changes with what its request turns out to be, and when the cost is above it and the account has more. */
  amount: bigint
  /** Unix milliseconds. */
  readonly at: number
  /** The receipt to keep if the process dies first. Called only for holds that last. */
  readonly receipt: () => string
  /** Whether the journal has written it down. */
  recorded: boolean
  over: boolean
  /** Where it stands among those that are not written down; the journal's own. */
  place?: Place<Hold> | undefined
  /** What the vendor keeps of the answer: it goes into the ledger with the charge. */
  state?: readonly VendorStateRecord[]
}

/** How an account or a budget stands that a hold could not be placed on. */
export interface BalanceSnapshot {
  readonly owner: string
  /** The posted balance, or what is left of a budget. */
  readonly posted: bigint
  readonly available: bigint
  /** What an account owes; no one owes for a budget. */
  readonly debt: bigint
}

/** What a settlement came to. */
export interface Settlement {
  /** Nanocredits taken from the account. */
  readonly charged: bigint
  /** The part of the cost that nothing could cover. */
  readonly writtenOff: bigint
  /** The account's posted balance after it. */
  readonly balance: bigint
}
