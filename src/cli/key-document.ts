import type { Key } from "#contract/keys.ts"

/** Returns a key as commands print it, without its secret. */
export function keyDocument(key: Key) {
  // Only running gateways track when a key was used and what it spent.
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

/** Formats Unix milliseconds. */
export function dateText(at: number): string {
  return new Date(at).toISOString()
}
