import type { Account, AccountChange } from "#contract/accounts.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import {
  type AccountChange as RecordChange,
  type AccountLimits,
  type AccountRecord,
  budgetsOfAccount,
} from "../store/accounts.ts"

/** Converts an account to its representation in the API. */
export function accountDocument(account: AccountRecord): Account {
  return {
    id: account.id,
    name: account.name,
    created_at: new Date(account.createdAt).toISOString(),
    balance: formatCredits(account.balance),
    debt: formatCredits(account.debt),
    stores_content: account.storesContent,
    state: account.state,
    ...limitsDocument(account.limits),
    daily_budget_left: creditsOrNull(account.dailyLeft),
    monthly_budget_left: creditsOrNull(account.monthlyLeft),
  }
}

export function creditsOrNull(amount: bigint | null): string | null {
  return amount === null ? null : formatCredits(amount)
}

/** Converts the limits of an account to their representation in the API. */
export function limitsDocument(limits: AccountLimits) {
  const { dailyBudget, monthlyBudget } = budgetsOfAccount(limits)
  return {
    models: limits.models === undefined ? null : [...limits.models],
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    concurrent_requests: limits.concurrentRequests ?? null,
    max_keys: limits.keys ?? null,
    max_invitations: limits.invitations ?? null,
    max_hourly_spend_ratio: limits.pace ?? null,
    daily_budget: creditsOrNull(dailyBudget),
    monthly_budget: creditsOrNull(monthlyBudget),
    price_group: limits.priceGroup ?? null,
  }
}

/** Converts the given members to a change in the format of the store. */
export function recordChange({ limits }: AccountRecord, change: AccountChange): RecordChange {
  const { name, stores_content, state, ...wanted } = change
  return {
    ...(name !== undefined && { name }),
    ...(stores_content !== undefined && { storesContent: stores_content }),
    ...(state !== undefined && { state }),
    ...(Object.keys(wanted).length > 0 && {
      limits: limitsOf({ ...limitsDocument(limits), ...wanted }),
    }),
  }
}

/** Converts limits to the format of the store. */
export function limitsOf(
  wanted: Omit<AccountChange, "name" | "stores_content" | "state">,
): AccountLimits {
  const { models, requests_per_minute, tokens_per_minute, concurrent_requests, max_keys } = wanted
  const { max_invitations, max_hourly_spend_ratio, daily_budget, monthly_budget, price_group } =
    wanted
  return {
    ...(isSet(models) && { models }),
    ...(isSet(requests_per_minute) && { requestsPerMinute: requests_per_minute }),
    ...(isSet(tokens_per_minute) && { tokensPerMinute: tokens_per_minute }),
    ...(isSet(concurrent_requests) && { concurrentRequests: concurrent_requests }),
    ...(isSet(max_keys) && { keys: max_keys }),
    ...(isSet(max_invitations) && { invitations: max_invitations }),
    ...(isSet(max_hourly_spend_ratio) && { pace: max_hourly_spend_ratio }),
    ...(isSet(daily_budget) && { dailyBudget: String(parseCredits(daily_budget)) }),
    ...(isSet(monthly_budget) && { monthlyBudget: String(parseCredits(monthly_budget)) }),
    ...(isSet(price_group) && { priceGroup: price_group }),
  }
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}
