import type { BudgetLimits } from "../accounting/budget-periods.ts"
import type { AccountLimits, AccountState } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** Filters a list of keys. */
export interface KeyFilter {
  /** Absent: those of all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly status?: "active" | "revoked" | "expired" | undefined
  /** The moment at which they have that status, Unix milliseconds. */
  readonly now: number
}

export interface KeyRecord extends BudgetLimits {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Globs of the models it may call; null means all. */
  readonly models: readonly string[] | null
  /** Further names of models, with the ids that they stand for; null means none. */
  readonly aliases: Readonly<Record<string, string>> | null
  /** All it may ever spend; null means no budget of its own. */
  readonly budget: bigint | null
  /** What is left of the budget, posted; null without one. */
  readonly budgetLeft: bigint | null
  /** What it may spend in a day and in a month (UTC); null means no such budget. */
  readonly dailyBudget: bigint | null
  readonly monthlyBudget: bigint | null
  /** What is left of them today and this month. */
  readonly dailyLeft: bigint | null
  readonly monthlyLeft: bigint | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  /** How many may run at the same time. */
  readonly concurrentRequests: number | null
  /** Whether it pays for nothing and changes nothing. */
  readonly isReadOnly: boolean
  /** Addresses and ranges (CIDR) that it may be used from; null means any. */
  readonly addresses: readonly string[] | null
  /** Origins of the pages that browsers let call with it; null means none but those of the settings. */
  readonly origins: readonly string[] | null
  /** Whether its account has prompts and answers kept. */
  readonly storesContent: boolean
  readonly accountState: AccountState
  /** What all keys of its account may do together. */
  readonly accountLimits: AccountLimits
  /** Since when it does not work; null: it does. */
  readonly pausedAt: number | null
  readonly createdAt: number
  /** The user who created it; null for a command or the admin token. */
  readonly createdBy: string | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The newest first. */
  readonly secrets: readonly KeySecretRecord[]
}

export interface KeySecretRecord {
  /** HMAC of the key, hexadecimal. The key itself is nowhere. */
  readonly hash: string
  /** The last characters of the key, to tell keys apart. */
  readonly hint: string
  readonly createdAt: number
  /** When a rotated secret stops working; null for the one active. */
  readonly expiresAt: number | null
}

/** What is derived from the others, or set later. */
type KeyState =
  | "budgetLeft"
  | "dailyLeft"
  | "monthlyLeft"
  | "revokedAt"
  | "secrets"
  | "storesContent"
  | "accountState"
  | "accountLimits"

export type NewKey = Omit<KeyRecord, KeyState | "pausedAt"> & {
  readonly secret: KeySecretRecord
}

/** What may be changed of a key; what is absent stays. */
export type KeyChange = Partial<
  Omit<KeyRecord, KeyState | "id" | "account" | "createdAt" | "createdBy">
>

/** What is left of one budget in one period, current or over. */
export interface BudgetRecord {
  /** `budgetOwner` of `accounting/budget-periods.ts`. */
  readonly owner: string
  readonly account: string
  /** The sum of the charges that draw on it. */
  readonly spent: bigint
  /** The part of `spent` from charges that were removed because of their age. */
  readonly pruned: bigint
}

/** What the budget of a label has left in its present period. */
export interface LabelBudgetRecord {
  readonly owner: string
  readonly spent: bigint
  readonly left: bigint
}

/** Labels of an account, in the order of their owners. */
export interface LabelBudgetQuery {
  readonly account: string
  /** A moment of the periods, Unix milliseconds. */
  readonly at: number
  /** The owner after which to begin. */
  readonly after: string | null
  readonly limit: number
}

/** Keys and their budgets. */
export interface KeyReads {
  find(id: string): Promise<KeyRecord | null>
  /** The newest first. */
  list(filter: KeyFilter, after: TimePosition | null, limit: number): Promise<KeyRecord[]>
  /** The keys that changed after a revision, and the revision now. */
  listChanged(revision: number): Promise<{ revision: number; keys: KeyRecord[] }>
  /** What budgets have spent, of all keys, accounts and periods, in the order of their owners from `after` on. */
  listBudgets(after: string, limit: number): Promise<BudgetRecord[]>
  /** The budgets of labels that were used in the present day or month. */
  listLabelBudgets(query: LabelBudgetQuery): Promise<LabelBudgetRecord[]>
}

export interface KeyWrites {
  /** Forgets what labels have spent in days and months that ended before the month before a moment, Unix milliseconds. */
  forgetLabelBudgets(at: number): Promise<void>
  /** @throws StoreError `not_found` when there is no such account, `too_much` when it has as many keys as it may. */
  insert(key: NewKey, audit: NewAuditRecord): Promise<KeyRecord>
  /**
   * Changes what a key may do. What is left of a budget grows or shrinks with it, not below zero; what
   * nodes have leased of it is recalled, and deducted as they return it.
   * @throws StoreError `not_found`, or `revoked`.
   */
  update(id: string, change: KeyChange, audit: NewAuditRecord): Promise<KeyRecord>
  /**
   * Replaces the secret; the old ones work until `graceUntil`.
   * @throws StoreError `not_found` when there is no such key, or it was revoked.
   */
  rotate(
    id: string,
    secret: KeySecretRecord,
    graceUntil: number,
    audit: NewAuditRecord,
  ): Promise<KeyRecord>
  /** @throws StoreError `not_found`. */
  revoke(id: string, at: number, audit: NewAuditRecord): Promise<KeyRecord>
}
