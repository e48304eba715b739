import type { Key } from "#contract/keys.ts"
import type { AccountRecord } from "../store/accounts.ts"
import type { KeyRecord } from "../store/keys.ts"
import { statusOf } from "./key-document.ts"

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
