import type { Database } from "bun:sqlite"
import type { AccountUse, AccountUseFilter } from "../requests.ts"
import { accountUsesOf, HOUR_MS } from "../usage-sums.ts"
import { Conditions } from "./conditions.ts"
import { type WideRow, wideSum, wideSumOf } from "./wide-sums.ts"

interface SpentRow extends WideRow<"spent" | "recent"> {
  readonly account: string
}

/**
 * Returns the use of each account that matches the filter.
 * @param index the index of the requests.
 * @param ledger contains the account of each key.
 */
export function accountUses(
  index: Database,
  ledger: Database,
  { accounts, from, recentFrom }: AccountUseFilter,
): AccountUse[] {
  const conditions = new Conditions()
  conditions.add("hour >= ?", Math.floor(from / HOUR_MS))
  conditions.among("account", accounts)
  const spent = index
    .query<SpentRow, (string | bigint)[]>(
      `SELECT account, ${wideSum("cost", "spent")}, ${wideSum("iif(hour >= ?1, cost, 0)", "recent")}
      FROM usage_days ${conditions.where} GROUP BY account`,
    )
    .all(BigInt(Math.floor(recentFrom / HOUR_MS)), ...conditions.values)
    .map((row) => ({
      account: row.account,
      spent: wideSumOf(row, "spent"),
      recently_spent: wideSumOf(row, "recent"),
    }))
  return accountUsesOf(spent, lastUses(index, ledger, accounts))
}

function lastUses(
  index: Database,
  ledger: Database,
  accounts: readonly string[] | undefined,
): Map<string, number> {
  const owned = new Conditions()
  owned.among("account", accounts)
  const keys = ledger
    .query<{ id: string; account: string }, (string | bigint)[]>(
      `SELECT id, account FROM keys ${owned.where}`,
    )
    .all(...owned.values)
  const used = new Conditions()
  if (accounts !== undefined) {
    used.add("key IN (SELECT value FROM json_each(?))", JSON.stringify(keys.map(({ id }) => id)))
  }
  const uses = index
    .query<{ key: string; at: bigint }, (string | bigint)[]>(
      `SELECT key, last_used_at AS at FROM key_uses ${used.where}`,
    )
    .all(...used.values)
  const byKey = new Map(uses.map(({ key, at }) => [key, Number(at)]))
  const last = new Map<string, number>()
  for (const { id, account } of keys) {
    const at = byKey.get(id)
    if (at !== undefined) last.set(account, Math.max(at, last.get(account) ?? at))
  }
  return last
}
