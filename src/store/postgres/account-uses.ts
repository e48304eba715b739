import type { AccountUse, AccountUseFilter } from "../requests.ts"
import { accountUsesOf, HOUR_MS, type SpentRow } from "../usage-sums.ts"
import type { Statements } from "./client.ts"
import { matchesNothing } from "../text-filters.ts"
import { Conditions } from "./conditions.ts"

/** Returns the use of each account that matches the filter. */
export async function accountUses(
  statements: Statements,
  filter: AccountUseFilter,
): Promise<AccountUse[]> {
  if (matchesNothing(filter)) return []
  const [spent, last] = await Promise.all([
    spentOf(statements, filter),
    lastUses(statements, filter),
  ])
  return accountUsesOf(spent, new Map(last.map(({ account, at }) => [account, Number(at)])))
}

async function spentOf(
  statements: Statements,
  { accounts, from, recentFrom }: AccountUseFilter,
): Promise<readonly SpentRow[]> {
  const conditions = new Conditions()
  const recent = conditions.place(BigInt(Math.floor(recentFrom / HOUR_MS)))
  conditions.add("hour >= ?", Math.floor(from / HOUR_MS))
  conditions.among("account", accounts)
  const rows = await statements.rows<Record<keyof SpentRow, string>>(
    `SELECT account, sum(cost)::text AS spent,
       coalesce(sum(cost) FILTER (WHERE hour >= ${recent}), 0)::text AS recently_spent
     FROM usage_hours ${conditions.where} GROUP BY account`,
    conditions.values,
  )
  return rows.map((row) => ({
    account: row.account,
    spent: BigInt(row.spent),
    recently_spent: BigInt(row.recently_spent),
  }))
}

function lastUses(
  statements: Statements,
  { accounts }: AccountUseFilter,
): Promise<readonly { readonly account: string; readonly at: bigint }[]> {
  const conditions = new Conditions()
  conditions.always("uses.requests > 0")
  conditions.among("keys.account", accounts)
  return statements.rows(
    `SELECT keys.account, max(uses.last_used_at) AS at FROM keys JOIN key_uses AS uses ON uses.key = keys.id
     ${conditions.where} GROUP BY keys.account`,
    conditions.values,
  )
}
