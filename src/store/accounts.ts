import type { BudgetLimits } from "../accounting/budget-periods.ts"
import { type LabelBudget, limitsOfLabel, readLabelHolder } from "../accounting/label-budgets.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** `paused`: nothing is paid for. `closed`: for good, unless an operator changes that; no new keys either. */
export type AccountState = "active" | "paused" | "closed"

/**
 * What all keys of an account may do together, and at which prices; what is absent has no limit. Also the form in which
 * it is stored.
 */
export interface AccountLimits {
  /** Globs of the models that they may call. */
  readonly models?: readonly string[]
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  /** How many requests may run at the same time. */
  readonly concurrentRequests?: number
  /** How many keys there may be that are not revoked. */
  readonly keys?: number
  /** How many invitations may be open. */
  readonly invitations?: number
  /** It is paused when an hour costs so many times the usual one. */
  readonly pace?: number
  /** What they may spend in a day and in a month (UTC): nanocredits as text, since JSON has no such integers. */
  readonly dailyBudget?: string
  readonly monthlyBudget?: string
  /** What requests of an end user or with a tag may spend, all of them together. */
  readonly labelBudgets?: readonly LabelBudget[]
  /** The id of the price group that it belongs to. */
  readonly priceGroup?: string
}

/** The budgets of an account. All it has is its balance, so there is none for ever. */
export function budgetsOfAccount({ dailyBudget, monthlyBudget }: AccountLimits): BudgetLimits {
  return {
    budget: null,
    dailyBudget: amountOf(dailyBudget),
    monthlyBudget: amountOf(monthlyBudget),
  }
}

/** The account that a budget of an account or a label belongs to, as far as its holder says. */
export function accountOfHolder(holder: string): string {
  return readLabelHolder(holder)?.account ?? holder
}

/** What an account, or a label of it, may spend. */
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
  /** The posted sum: what all entries add up to. */
  readonly balance: bigint
  /** The part of the balance that nodes hold leases on. */
  readonly leased: bigint
  /** What it owes: while that is above zero, its credits pay for no request. */
  readonly debt: bigint
  /** Whether prompts and answers of its requests are stored. */
  readonly storesContent: boolean
  readonly state: AccountState
  readonly limits: AccountLimits
  /** What is left of its budgets today and this month; null without one. */
  readonly dailyLeft: bigint | null
  readonly monthlyLeft: bigint | null
}

/** What may be changed of an account; what is absent stays. */
export interface AccountChange {
  readonly name?: string
  readonly storesContent?: boolean
  readonly state?: AccountState
  /** All of them but those of labels. */
  readonly limits?: Omit<AccountLimits, "labelBudgets">
  readonly labelBudgets?: readonly LabelBudget[]
}

/** The limits of an account after a change. */
export function limitsAfter(limits: AccountLimits, change: AccountChange): AccountLimits {
  const { labelBudgets = limits.labelBudgets ?? [] } = change
  const { labelBudgets: _before, ...others }: AccountLimits = change.limits ?? limits
  return { ...others, ...(labelBudgets.length > 0 && { labelBudgets }) }
}

/** Whether a change concerns requests, so that nodes have to read the account's keys again. */
export function concernsRequests(change: AccountChange): boolean {
  const { storesContent, state, limits, labelBudgets } = change
  return [storesContent, state, limits, labelBudgets].some((member) => member !== undefined)
}

/** What an account is that was created just now. */
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
  /** By id or by name. */
  find(idOrName: string): Promise<AccountRecord | null>
  /** In the order in which they were created. */
  list(): Promise<AccountRecord[]>
  /** Whether there is one at all. */
  any(): Promise<boolean>
}

export interface AccountWrites {
  /** @throws StoreError `exists` when the name is taken. */
  create(account: NewAccount, audit: NewAuditRecord): Promise<AccountRecord>
  /** @throws StoreError `not_found`, or `exists` when the name is taken. */
  update(id: string, change: AccountChange, audit: NewAuditRecord): Promise<AccountRecord>
}
