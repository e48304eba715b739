import type { BudgetLimits } from "../accounting/budget-periods.ts"
import { type LabelBudget, limitsOfLabel, readLabelHolder } from "../accounting/label-budgets.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/**
 * The state of an account. Neither a `paused` nor a `closed` account can pay for requests. A `closed` account also gets
 * no new keys, and only an operator can reopen it.
 */
export type AccountState = "active" | "paused" | "closed"

/** Limits and prices that all keys of an account share, in their stored form. An absent field means no limit. */
export interface AccountLimits {
  /** Globs of the allowed models. */
  readonly models?: readonly string[]
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  /** Maximum concurrent requests. */
  readonly concurrentRequests?: number
  /** Maximum keys that are not revoked. */
  readonly keys?: number
  /** Maximum open invitations. */
  readonly invitations?: number
  /** The account is paused if it spends this many times its usual amount in one hour. */
  readonly pace?: number
  /**
   * Maximum spending per day and per month (UTC), in nanocredits. The values are text, because JSON numbers cannot hold
   * them.
   */
  readonly dailyBudget?: string
  readonly monthlyBudget?: string
  /** Maximum spending for all requests of an end user, or for all requests with a tag. */
  readonly labelBudgets?: readonly LabelBudget[]
  /** Rules for keys that members create. */
  readonly memberKeys?: MemberKeyRules
  /** The id of the account's price group. */
  readonly priceGroup?: string
}

/** Rules for keys that members of an account create, in their stored form. An absent field means no limit. */
export interface MemberKeyRules {
  /** Set if members may not create keys. */
  readonly mayCreate?: false
  /** Globs of the models that keys may allow. */
  readonly models?: readonly string[]
  /** Maximum budgets of a key in nanocredits, as text. */
  readonly budget?: string
  readonly dailyBudget?: string
  readonly monthlyBudget?: string
}

/** Returns the budgets of an account. There is no total budget, because the balance already limits the total. */
export function budgetsOfAccount({ dailyBudget, monthlyBudget }: AccountLimits): BudgetLimits {
  return {
    budget: null,
    dailyBudget: amountOf(dailyBudget),
    monthlyBudget: amountOf(monthlyBudget),
  }
}

/** Returns the account of a budget holder. The holder is the account itself or one of its labels. */
export function accountOfHolder(holder: string): string {
  return readLabelHolder(holder)?.account ?? holder
}

/** Returns the budgets of an account or of one of its labels. */
export function budgetsOfHolder(holder: string, limits: AccountLimits): BudgetLimits {
  const label = readLabelHolder(holder)?.label
  return label === undefined
    ? budgetsOfAccount(limits)
    : limitsOfLabel(limits.labelBudgets ?? [], label)
}

function amountOf(text: string | undefined): bigint | null {
  return text === undefined ? null : BigInt(text)
}

export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** The sum of all entries of the account. */
  readonly balance: bigint
  /** The part of the balance that nodes have leased. */
  readonly leased: bigint
  /** The amount that the account owes. While it is above zero, the account's credits pay for no requests. */
  readonly debt: bigint
  /** Whether prompts and responses of the account's requests are stored. */
  readonly storesContent: boolean
  readonly state: AccountState
  readonly limits: AccountLimits
  /** The remaining amounts of the account's budgets today and this month; null without such a budget. */
  readonly dailyLeft: bigint | null
  readonly monthlyLeft: bigint | null
}

/** A change to an account. Absent fields stay unchanged. */
export interface AccountChange {
  readonly name?: string
  readonly storesContent?: boolean
  readonly state?: AccountState
  /** Replaces all limits except the budgets of labels and the rules for keys of members. */
  readonly limits?: Omit<AccountLimits, "labelBudgets" | "memberKeys">
  readonly labelBudgets?: readonly LabelBudget[]
  readonly memberKeys?: MemberKeyRules
}

/** Returns the limits of an account after a change. */
export function limitsAfter(limits: AccountLimits, change: AccountChange): AccountLimits {
  const { labelBudgets = limits.labelBudgets ?? [], memberKeys = limits.memberKeys ?? {} } = change
  const {
    labelBudgets: _before,
    memberKeys: _rules,
    ...others
  }: AccountLimits = change.limits ?? limits
  return {
    ...others,
    ...(labelBudgets.length > 0 && { labelBudgets }),
    ...(Object.keys(memberKeys).length > 0 && { memberKeys }),
  }
}

/** Whether a change affects requests, so that nodes must reload the account's keys. */
export function concernsRequests(change: AccountChange): boolean {
  const { storesContent, state, limits, labelBudgets } = change
  return [storesContent, state, limits, labelBudgets].some((member) => member !== undefined)
}

/** The state of a new account. */
export const FRESH_ACCOUNT = {
  balance: 0n,
  leased: 0n,
  debt: 0n,
  storesContent: false,
  state: "active",
  limits: {},
  dailyLeft: null,
  monthlyLeft: null,
} as const

export type NewAccount = Pick<AccountRecord, "id" | "name" | "createdAt"> &
  Partial<Pick<AccountRecord, "limits">>

export interface AccountReads {
  /** Finds an account by id or name. */
  find(idOrName: string): Promise<AccountRecord | null>
  /**
   * Lists accounts in the order of their creation.
   * @param ids ids of the accounts; if absent, all accounts.
   */
  list(ids?: readonly string[]): Promise<AccountRecord[]>
  /** Returns whether any account exists. */
  any(): Promise<boolean>
}

export interface AccountWrites {
  /**
   * Creates an account.
   * @throws StoreError `exists` if the name is taken.
   */
  create(account: NewAccount, audit: NewAuditRecord): Promise<AccountRecord>
  /**
   * Changes an account.
   * @throws StoreError `not_found`, or `exists` if the name is taken.
   */
  update(id: string, change: AccountChange, audit: NewAuditRecord): Promise<AccountRecord>
}
