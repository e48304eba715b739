import { reaches } from "#contract/roles.ts"
import type { Budget, Key } from "#contract/keys.ts"
import type { KeyRecord } from "../store/keys.ts"
import type { Actor } from "./actor.ts"
import { formatCredits } from "../ledger/money.ts"
import { endOfPeriod } from "../accounting/budget-periods.ts"
import type { AccountRecord } from "../store/accounts.ts"
import { momentOrNull, momentText } from "./moment-text.ts"
import { creditsOrNull } from "./account-document.ts"

/** The use of a key, from the index of requests. */
export interface KeyUse {
  /** Unix milliseconds; null if the key was never used. */
  readonly lastUsedAt: number | null
  /** Total spending in nanocredits. */
  readonly spent: bigint
}

const UNUSED: KeyUse = { lastUsedAt: null, spent: 0n }

/**
 * Converts a key to its representation in the API for an actor. The result never contains the secret.
 * @param now Unix milliseconds.
 */
export function keyDocument(
  actor: Actor,
  key: KeyRecord,
  now: number,
  use: KeyUse = UNUSED,
): Omit<Key, "rejected_with"> {
  const [secret, ...rotated] = key.secrets
  return {
    id: key.id,
    account: key.account,
    name: key.name,
    hint: secret?.hint ?? null,
    status: statusOf(key, now),
    is_paused: key.pausedAt !== null,
    is_read_only: key.isReadOnly,
    models: key.models === null ? null : [...key.models],
    aliases: key.aliases === null ? null : { ...key.aliases },
    budget: budgetOf(key.budget, key.budgetLeft, null),
    daily_budget: budgetOf(key.dailyBudget, key.dailyLeft, endOfPeriod("day", now)),
    monthly_budget: budgetOf(key.monthlyBudget, key.monthlyLeft, endOfPeriod("month", now)),
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    concurrent_requests: key.concurrentRequests,
    created_at: momentText(key.createdAt),
    created_by: key.createdBy,
    may_change: mayChangeKey(actor, key),
    expires_at: momentOrNull(key.expiresAt),
    origins: key.origins === null ? null : [...key.origins],
    addresses: key.addresses === null ? null : [...key.addresses],
    grace_until: rotated.flatMap(({ expiresAt }) =>
      expiresAt !== null && expiresAt > now ? [momentText(expiresAt)] : [],
    ),
    last_used_at: momentOrNull(use.lastUsedAt),
    spent: formatCredits(use.spent),
  }
}

/**
 * Whether an actor may change, rotate, pause and revoke a key. Operators, owners of the key's account and the key's
 * creator have this permission.
 */
export function mayChangeKey(actor: Actor, { account, createdBy }: KeyRecord): boolean {
  if (actor.isOperator) return true
  const role = actor.roles.get(account)
  if (role === undefined || !reaches(role, "member")) return false
  return role === "owner" || (actor.id !== null && actor.id === createdBy)
}

type KeyLimits = Pick<
  KeyRecord,
  | "name"
  | "models"
  | "aliases"
  | "budget"
  | "dailyBudget"
  | "monthlyBudget"
  | "requestsPerMinute"
  | "tokensPerMinute"
  | "concurrentRequests"
  | "expiresAt"
  | "origins"
  | "isReadOnly"
  | "addresses"
> & { readonly pausedAt?: number | null }

/** Returns the settings of a key that can be edited, for the audit log. */
export function keySettings(key: KeyLimits) {
  return {
    name: key.name,
    is_paused: (key.pausedAt ?? null) !== null,
    is_read_only: key.isReadOnly,
    models: key.models,
    aliases: key.aliases,
    budget: creditsOrNull(key.budget),
    daily_budget: creditsOrNull(key.dailyBudget),
    monthly_budget: creditsOrNull(key.monthlyBudget),
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    concurrent_requests: key.concurrentRequests,
    expires_at: momentOrNull(key.expiresAt),
    origins: key.origins,
    addresses: key.addresses,
  }
}

/** Returns the status of a key at a moment. */
export function statusOf(key: KeyRecord, now: number): Key["status"] {
  if (key.revokedAt !== null) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active"
}

function budgetOf(
  limit: bigint | null,
  left: bigint | null,
  resetsAt: number | null,
): Budget | null {
  if (limit === null) return null
  return {
    limit: formatCredits(limit),
    left: formatCredits(left ?? limit),
    resets_at: momentOrNull(resetsAt),
  }
}

/**
 * Returns the code of the error that a request with the key would receive now; null if the request would be served. If
 * several errors apply, the first in the order of the checks is returned.
 */
export function rejectionOf(
  key: KeyRecord,
  account: AccountRecord | null,
  now: number,
): Key["rejected_with"] {
  if (statusOf(key, now) !== "active") return "invalid_api_key"
  if (key.accountState !== "active") return `account_${key.accountState}`
  if (key.pausedAt !== null) return "key_paused"
  if (key.isReadOnly) return "key_read_only"
  if (account === null) return null
  if (account.balance <= 0n || account.debt > 0n) return "insufficient_credits"
  if (isUsedUp(account.dailyLeft) || isUsedUp(account.monthlyLeft)) return "account_budget_exceeded"
  return [key.budgetLeft, key.dailyLeft, key.monthlyLeft].some(isUsedUp)
    ? "key_budget_exceeded"
    : null
}

function isUsedUp(left: bigint | null): boolean {
  return left !== null && left <= 0n
}
