import type { BudgetLimits } from "../accounting/budget-periods.ts"
import type { AccountLimits, AccountState } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** A filter for keys. */
export interface KeyFilter {
  /** The accounts; if absent, all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly status?: "active" | "revoked" | "expired" | undefined
  /** The user who created the keys. */
  readonly createdBy?: string | undefined
  /** The moment at which the status of keys is evaluated, in Unix milliseconds. */
  readonly now: number
}

export interface KeyRecord extends BudgetLimits {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Globs of the models that the key may call; null for all models. */
  readonly models: readonly string[] | null
  /** Additional names of models, with the ids that they stand for; null without aliases. */
  readonly aliases: Readonly<Record<string, string>> | null
  /** Total amount that the key may spend; null without a total budget. */
  readonly budget: bigint | null
  /** The remaining posted amount of the total budget; null without a total budget. */
  readonly budgetLeft: bigint | null
  /** Maximum spending per day and per month (UTC); null without such a budget. */
  readonly dailyBudget: bigint | null
  readonly monthlyBudget: bigint | null
  /** The remaining amounts of these budgets today and this month. */
  readonly dailyLeft: bigint | null
  readonly monthlyLeft: bigint | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  /** Maximum concurrent requests. */
  readonly concurrentRequests: number | null
  /** Whether the key can neither pay for requests nor change anything. */
  readonly isReadOnly: boolean
  /** Client addresses and ranges (CIDR) that may use the key; null for all. */
  readonly addresses: readonly string[] | null
  /** Origins of web pages that may use the key in a browser; null if only those in the settings may. */
  readonly origins: readonly string[] | null
  /** Whether prompts and responses of the key's account are stored. */
  readonly storesContent: boolean
  readonly accountState: AccountState
  /** Limits that all keys of the account share. */
  readonly accountLimits: AccountLimits
  /** When the key was paused; null if it is not paused. */
  readonly pausedAt: number | null
  readonly createdAt: number
  /** The user who created the key; null for the command line or the admin token. */
  readonly createdBy: string | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The secrets of the key, newest first. */
  readonly secrets: readonly KeySecretRecord[]
}

export interface KeySecretRecord {
  /** HMAC of the key in hexadecimal. The key itself is not stored. */
  readonly hash: string
  /** The last characters of the key, by which people recognize it. */
  readonly hint: string
  readonly createdAt: number
  /** When a rotated secret expires; null for the active secret. */
  readonly expiresAt: number | null
}

/** Fields of a key that are derived from other data or set later. */
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

/** A change to a key. Absent fields stay unchanged. */
export type KeyChange = Partial<
  Omit<KeyRecord, KeyState | "id" | "account" | "createdAt" | "createdBy">
>

/** The spending of one budget in one period, which may be the current or a past period. */
export interface BudgetRecord {
  /** The owner, as returned by `budgetOwner` of `accounting/budget-periods.ts`. */
  readonly owner: string
  readonly account: string
  /** The sum of the charges to the budget in the period. */
  readonly spent: bigint
  /** The part of `spent` that comes from pruned charges. */
  readonly pruned: bigint
}

/** The budget of a label in its current period. */
export interface LabelBudgetRecord {
  readonly owner: string
  readonly spent: bigint
  readonly left: bigint
}

/** A query for budgets of labels, sorted by owner. */
export interface LabelBudgetQuery {
  readonly account: string
  /** A moment in the queried periods, in Unix milliseconds. */
  readonly at: number
  /** The owner after which the results start; null for the start. */
  readonly after: string | null
  readonly limit: number
}

/** Reads keys and their budgets. */
export interface KeyReads {
  find(id: string): Promise<KeyRecord | null>
  /** Lists keys after a position, newest first. */
  list(filter: KeyFilter, after: TimePosition | null, limit: number): Promise<KeyRecord[]>
  /** Returns the keys that have changed since a revision, and the current revision. */
  listChanged(revision: number): Promise<{ revision: number; keys: KeyRecord[] }>
  /** Lists the spending of all budgets after an owner, sorted by owner. */
  listBudgets(after: string, limit: number): Promise<BudgetRecord[]>
  /** Lists the budgets of labels that were used in the current day or month. */
  listLabelBudgets(query: LabelBudgetQuery): Promise<LabelBudgetRecord[]>
}

export interface KeyWrites {
  /**
   * Deletes label budgets of days and months that ended before the month that precedes a moment, which is in Unix
   * milliseconds.
   */
  forgetLabelBudgets(at: number): Promise<void>
  /**
   * Adds a key.
   * @throws StoreError `not_found` if the account does not exist, `too_much` if the account has the maximum number of
   * keys.
   */
  insert(key: NewKey, audit: NewAuditRecord): Promise<KeyRecord>
  /**
   * Changes the permissions and limits of a key. The remaining amount of a budget grows or shrinks with its limit, but
   * not below zero. Leased parts are recalled from nodes and deducted when they are returned.
   * @throws StoreError `not_found`, or `revoked`.
   */
  update(id: string, change: KeyChange, audit: NewAuditRecord): Promise<KeyRecord>
  /**
   * Replaces the secret. The old secrets work until `graceUntil`.
   * @throws StoreError `not_found` if the key does not exist or was revoked.
   */
  rotate(
    id: string,
    secret: KeySecretRecord,
    graceUntil: number,
    audit: NewAuditRecord,
  ): Promise<KeyRecord>
  /**
   * Revokes a key.
   * @throws StoreError `not_found`.
   */
  revoke(id: string, at: number, audit: NewAuditRecord): Promise<KeyRecord>
}
