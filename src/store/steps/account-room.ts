import type { AccountLimits } from "../accounts.ts"
import { rejections } from "../rejections.ts"
import { FOR_NO_KEY_UPDATE, sql, type Sql } from "./sql.ts"
import { row, type Step } from "./step.ts"

/**
 * Locks an account, and rejects a new key or invitation if the account has the maximum number. If two are created
 * simultaneously, the second includes the first in its count.
 * @param existing the rows to count, as SQL to follow FROM.
 * @throws StoreError `not_found`, or the error that `reject` returns.
 */
export function* requireRoom(
  account: string,
  limit: "keys" | "invitations",
  existing: Sql,
  reject: (max: number) => Error,
): Step<void> {
  const found = yield* row<{ limits: string }>(
    sql`SELECT limits FROM accounts WHERE id = ${account} ${FOR_NO_KEY_UPDATE}`,
  )
  if (!found) throw rejections.noAccount(account)
  const max = (JSON.parse(found.limits) as AccountLimits)[limit]
  if (max === undefined) return
  const counted = yield* row<{ count: bigint }>(sql`SELECT count(*) AS count FROM ${existing}`)
  if (Number(counted?.count ?? 0n) >= max) throw reject(max)
}
