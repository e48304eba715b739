import { budgetOwner } from "../../accounting/budget-periods.ts"
import type { KeyRecord } from "../keys.ts"
import { leftOf } from "./budgets.ts"

export interface KeyRow {
  id: string
  account: string
  name: string
  models: string | null
  aliases: string | null
  budget: bigint | null
  daily_budget: bigint | null
  monthly_budget: bigint | null
  requests_per_minute: bigint | null
  tokens_per_minute: bigint | null
  created_at: bigint
  expires_at: bigint | null
  revoked_at: bigint | null
  /** Null before a budget of the period is used. */
  budget_spent: bigint | null
  daily_spent: bigint | null
  monthly_spent: bigint | null
  stores_content: bigint
  origins: string | null
}

export interface SecretRow {
  hash: string
  hint: string
  created_at: bigint
  expires_at: bigint | null
}

/** The first two parameters are the ends of the owners of today's budgets and this month's. */
export const SELECT_KEY = `
  SELECT keys.*, total.allotted - total.posted AS budget_spent,
    day.allotted - day.posted AS daily_spent, month.allotted - month.posted AS monthly_spent,
    accounts.stores_content
  FROM keys
  JOIN accounts ON accounts.id = keys.account
  LEFT JOIN balances AS total ON total.owner = keys.id
  LEFT JOIN balances AS day ON day.owner = keys.id || ?1
  LEFT JOIN balances AS month ON month.owner = keys.id || ?2`

export function currentPeriods(): [string, string] {
  const now = Date.now()
  return [budgetOwner("", "day", now), budgetOwner("", "month", now)]
}

function numberOrNull(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}

export function integerOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

export function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

function listOrNull(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[])
}

function leftOrNull(limit: bigint | null, spent: bigint | null): bigint | null {
  return limit === null ? null : leftOf(limit, spent ?? 0n)
}

/** @param secrets of the key, the newest first. */
export function keyFromRow(row: KeyRow, secrets: readonly SecretRow[]): KeyRecord {
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
    storesContent: row.stores_content === 1n,
    createdAt: Number(row.created_at),
    expiresAt: numberOrNull(row.expires_at),
    origins: listOrNull(row.origins),
    revokedAt: numberOrNull(row.revoked_at),
    secrets: secrets.map((secret) => ({
      hash: secret.hash,
      hint: secret.hint,
      createdAt: Number(secret.created_at),
      expiresAt: numberOrNull(secret.expires_at),
    })),
  }
}
