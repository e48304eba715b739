import type { BudgetLimits } from "../accounting/budget-periods.ts"
import type { AccountLimits, AccountState } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** Filters a list of keys. */
export interface KeyFilter {
  /** Absent: all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly status?: "active" | "revoked" | "expired" | undefined
  /** The reference time for the status, in Unix milliseconds. */
  readonly now: number
}

export interface KeyRecord extends BudgetLimits {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Globs of the allowed models; null: all. */
  readonly models: readonly string[] | null
  /** Additional names of models, with the model ids they refer to; null: no aliases. */
  readonly aliases: Readonly<Record<string, string>> | null
  /** Total amount that it may spend; null: no budget of its own. */
  readonly budget: bigint | null
  /** The remaining posted amount of the budget; null without one. */
  readonly budgetLeft: bigint | null
  /** Maximum spending per day and per month (UTC); null: no such budget. */
  readonly dailyBudget: bigint | null
  readonly monthlyBudget: bigint | null
  /** The remaining amounts today and this month. */
  readonly dailyLeft: bigint | null
  readonly monthlyLeft: bigint | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  /** Maximum concurrent requests. */
  readonly concurrentRequests: number | null
  /** True for a key that pays for nothing and changes nothing. */
  readonly isReadOnly: boolean
  /** Client addresses and ranges (CIDR) that may use it; null: any. */
  readonly addresses: readonly string[] | null
  /** Origins of web pages that may use it in a browser; null: only those of the settings. */
  readonly origins: readonly string[] | null
  /** Whether its account has prompts and answers stored. */
  readonly storesContent: boolean
  readonly accountState: AccountState
  /** Common limits of all keys of its account. */
  readonly accountLimits: AccountLimits
  /** When it was paused; null: it is active. */
  readonly pausedAt: number | null
  readonly createdAt: number
  /** The user who created it; null for a command or the admin token. */
  readonly createdBy: string | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** Newest first. */
  readonly secrets: readonly KeySecretRecord[]
}

export interface KeySecretRecord {
  /** HMAC of the key, hexadecimal. The key itself is not stored. */
  readonly hash: string
  /** The last characters of the key, for recognition. */
  readonly hint: string
  readonly createdAt: number
  /** When a rotated secret stops working; null for the active one. */
  readonly expiresAt: number | null
}

/** Fields that are derived from others or set later. */
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

/** A change of a key. Absent fields stay unchanged. */
export type KeyChange = Partial<
  Omit<KeyRecord, KeyState | "id" | "account" | "createdAt" | "createdBy">
>

/** The spending of one budget in one period, current or past. */
export interface BudgetRecord {
  /** The owner as named by `budgetOwner` of `accounting/budget-periods.ts`. */
  readonly owner: string
  readonly account: string
  /** The sum of the charges to the budget. */
  readonly spent: bigint
  /** The part of `spent` from pruned charges. */
  readonly pruned: bigint
}

/** The budget of a label in its current period. */
export interface LabelBudgetRecord {
  readonly owner: string
  readonly spent: bigint
  readonly left: bigint
}

/** Selects labels of an account, sorted by owner. */
export interface LabelBudgetQuery {
  readonly account: string
  /** A moment in the periods, in Unix milliseconds. */
  readonly at: number
  /** The owner after which to begin. */
  readonly after: string | null
  readonly limit: number
}

/** Reads keys and their budgets. */
export interface KeyReads {
  find(id: string): Promise<KeyRecord | null>
  /** Lists keys, newest first. */
  list(filter: KeyFilter, after: TimePosition | null, limit: number): Promise<KeyRecord[]>
  /** Returns the keys that changed after a revision, and the current revision. */
  listChanged(revision: number): Promise<{ revision: number; keys: KeyRecord[] }>
  /** Lists the spending of all budgets after an owner, sorted by owner. */
  listBudgets(after: string, limit: number): Promise<BudgetRecord[]>
  /** Lists the budgets of labels that were used in the current day or month. */
  listLabelBudgets(query: LabelBudgetQuery): Promise<LabelBudgetRecord[]>
}

export interface KeyWrites {
  /**
   * Deletes the budgets of labels for days and months that ended before the month before a moment, in Unix
   * milliseconds.
   */
  forgetLabelBudgets(at: number): Promise<void>
  /** @throws StoreError `not_found` if the account does not exist, `too_much` if it has the maximum number of keys. */
  insert(key: NewKey, audit: NewAuditRecord): Promise<KeyRecord>
  /**
   * Changes the rights and limits of a key. The remaining amount of a budget grows or shrinks with its limit, but not
   * below zero. Leased parts are recalled from nodes and deducted when they are returned.
   * @throws StoreError `not_found`, or `revoked`.
   */
  update(id: string, change: KeyChange, audit: NewAuditRecord): Promise<KeyRecord>
  /**
   * Replaces the secret; the old ones work until `graceUntil`.
   * @throws StoreError `not_found` if the key does not exist or was revoked.
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
