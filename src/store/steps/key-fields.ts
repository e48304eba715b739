import { leftOf } from "../../accounting/budget-balances.ts"
import {
  type AccountLimits,
  type AccountRecord,
  type AccountState,
  budgetsOfAccount,
} from "../accounts.ts"
import type { KeyRecord } from "../keys.ts"
import { numberOrNull } from "./sql.ts"

/** A key in the form in which the database stores it, without columns whose types differ between engines. */
export interface StoredKey {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Models, aliases and origins as JSON. */
  readonly models: string | null
  readonly aliases: string | null
  readonly origins: string | null
  /** Addresses as JSON. */
  readonly addresses: string | null
  readonly read_only: boolean | bigint
  readonly budget: bigint | null
  readonly daily_budget: bigint | null
  readonly monthly_budget: bigint | null
  readonly requests_per_minute: bigint | null
  readonly tokens_per_minute: bigint | null
  readonly concurrent_requests: bigint | null
  readonly created_at: bigint
  readonly created_by: string | null
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly paused_at: bigint | null
  readonly account_state: AccountState
  /** The account's limits as JSON. */
  readonly account_limits: string
  /** Spending of the budgets; null until a budget of the period is used. */
  readonly budget_spent: bigint | null
  readonly daily_spent: bigint | null
  readonly monthly_spent: bigint | null
}

/** A secret of a key in the form in which the database stores it. */
export interface StoredSecret {
  readonly hash: string
  readonly hint: string
  readonly created_at: bigint | number
  readonly expires_at: bigint | number | null
}

export function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

/**
 * Converts a stored key to a record.
 * @param secrets the secrets of the key, newest first.
 */
export function keyRecordOf(
  row: StoredKey,
  storesContent: boolean,
  secrets: readonly StoredSecret[],
): KeyRecord {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    models: listOrNull(row.models),
    aliases: row.aliases === null ? null : (JSON.parse(row.aliases) as Record<string, string>),
    budget: row.budget,
    budgetLeft: leftOrNull(row.budget, row.budget_spent),
    dailyBudget: row.daily_budget,
    dailyLeft: leftOrNull(row.daily_budget, row.daily_spent),
    monthlyBudget: row.monthly_budget,
    monthlyLeft: leftOrNull(row.monthly_budget, row.monthly_spent),
    requestsPerMinute: numberOrNull(row.requests_per_minute),
    tokensPerMinute: numberOrNull(row.tokens_per_minute),
    concurrentRequests: numberOrNull(row.concurrent_requests),
    storesContent,
    accountState: row.account_state,
    accountLimits: JSON.parse(row.account_limits) as AccountLimits,
    pausedAt: numberOrNull(row.paused_at),
    createdAt: Number(row.created_at),
    createdBy: row.created_by,
    expiresAt: numberOrNull(row.expires_at),
    origins: listOrNull(row.origins),
    isReadOnly: Boolean(row.read_only),
    addresses: listOrNull(row.addresses),
    revokedAt: numberOrNull(row.revoked_at),
    secrets: secrets.map((secret) => ({
      hash: secret.hash,
      hint: secret.hint,
      createdAt: Number(secret.created_at),
      expiresAt: numberOrNull(secret.expires_at),
    })),
  }
}

/** Returns the remaining amounts of an account's budgets. */
export function leftOfBudgets(
  limits: AccountLimits,
  spent: Pick<StoredKey, "daily_spent" | "monthly_spent">,
): Pick<AccountRecord, "dailyLeft" | "monthlyLeft"> {
  const { dailyBudget, monthlyBudget } = budgetsOfAccount(limits)
  return {
    dailyLeft: leftOrNull(dailyBudget, spent.daily_spent),
    monthlyLeft: leftOrNull(monthlyBudget, spent.monthly_spent),
  }
}

function listOrNull(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[])
}

function leftOrNull(limit: bigint | null, spent: bigint | null): bigint | null {
  return limit === null ? null : leftOf(limit, spent ?? 0n)
}
