import type { WriteOff } from "../accounting/chained-records.ts"
import { reportedAmount } from "../accounting/maxima.ts"
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
   * Amount in nanocredits. It changes if the maximum usage is corrected, or if the cost exceeds it and the account has
   * more credits.
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
  /** State that the vendor stores for the response. The ledger records it with the charge. */
  state?: readonly VendorStateRecord[]
}

export interface HoldInput {
  readonly request: string
  readonly payer: Payer
  /** Amount in nanocredits. */
  readonly amount: bigint
  /** Returns the receipt to store if the process dies first. It must not throw. */
  readonly receipt: () => string
}

/** The balance of an account or budget, as known to this process. */
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

/** Returns a new hold against leased balances. */
export function newHold(
  { request, payer, amount, receipt }: HoldInput,
  balances: readonly LeasedBalance[],
): Hold {
  const at = momentFor(payer)
  return {
    request,
    payer,
    balances,
    amount,
    at,
    receipt,
    recorded: false,
    over: false,
    node: undefined,
  }
}

/**
 * Returns the time of a new hold: the current time, limited to the period in which its payer is valid. The hold
 * therefore always draws on the budgets of its own day and month.
 */
function momentFor(payer: Payer): number {
  const now = Date.now()
  if (now < payer.from) return payer.from
  return now < payer.until ? now : payer.until - 1
}

const NOTHING: readonly WriteOff[] = []

/** Caps the amount of a write-off, because providers can report any number. */
function atMost({ amount, reason }: WriteOff): WriteOff {
  return { amount: reportedAmount(amount), reason }
}

/** Returns the write-offs of the cost that is not covered and of the amount that is never charged. */
export function writeOffsOf(
  hold: Hold,
  missing: bigint,
  beyond: WriteOff | undefined,
): readonly WriteOff[] {
  if (missing === 0n) return beyond === undefined ? NOTHING : [atMost(beyond)]
  const [account] = hold.balances
  const isEmpty = account === undefined || account.available <= 0n
  const short = atMost({ amount: missing, reason: isEmpty ? "account_empty" : "budget_empty" })
  return beyond === undefined ? [short] : [short, atMost(beyond)]
}
