import { formatCredits } from "../ledger/money.ts"
import type { KeyRecord } from "../store/records.ts"

/** A key as commands show it. The secret is never part of it. */
export function keyDocument(key: KeyRecord) {
  const [secret, ...rotated] = key.secrets
  const now = Date.now()
  return {
    id: key.id,
    account: key.account,
    name: key.name,
    hint: secret?.hint ?? null,
    status: statusOf(key, now),
    models: key.models,
    budget: key.budget === null ? null : formatCredits(key.budget),
    budget_left: key.budgetLeft === null ? null : formatCredits(key.budgetLeft),
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    created_at: dateText(key.createdAt),
    expires_at: key.expiresAt === null ? null : dateText(key.expiresAt),
    /** Rotated secrets that still work, by the time they stop. */
    grace_until: rotated
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now)
      .map(({ expiresAt }) => dateText(expiresAt ?? 0)),
  }
}

function statusOf(key: KeyRecord, now: number): "active" | "revoked" | "expired" {
  if (key.revokedAt !== null) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active"
}

/** A time in Unix milliseconds as text. */
export function dateText(at: number): string {
  return new Date(at).toISOString()
}
