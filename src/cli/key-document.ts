import type { Key } from "#contract/keys.ts"

/** A key as commands show it. The secret is never part of it. */
export function keyDocument(key: Key) {
  // Only running gateways know the use of a key.
  const { last_used_at: _lastUsedAt, spent: _spent, may_change: _mayChange, ...shown } = key
  const { budget, daily_budget, monthly_budget } = key
  return {
    ...shown,
    budget: budget?.limit ?? null,
    budget_left: budget?.left ?? null,
    daily_budget: daily_budget?.limit ?? null,
    daily_budget_left: daily_budget?.left ?? null,
    monthly_budget: monthly_budget?.limit ?? null,
    monthly_budget_left: monthly_budget?.left ?? null,
  }
}

/** A time in Unix milliseconds as text. */
export function dateText(at: number): string {
  return new Date(at).toISOString()
}
