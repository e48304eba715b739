import { texts } from "./arrays.ts"
import type { Conditions } from "./conditions.ts"

/**
 * Some receipts in an order of time, as SQL. Each account's lie in that order, those of several do not: so much of each is
 * read as is wanted of all.
 * @param accounts absent: everyone's.
 * @param query its end is the order and the limit.
 */
export function ofAccounts(
  conditions: Conditions,
  accounts: readonly string[] | undefined,
  { columns, end }: { readonly columns: string; readonly end: string },
): string {
  if (accounts === undefined || accounts.length === 1) {
    conditions.among("account", accounts)
    return `SELECT ${columns} FROM receipts ${conditions.where} ${end}`
  }
  conditions.always("account = a.owner")
  const owners = conditions.place(texts([...new Set(accounts)]))
  return `SELECT ${columns} FROM unnest(${owners}::text[]) AS a (owner)
    CROSS JOIN LATERAL (SELECT ${columns} FROM receipts ${conditions.where} ${end}) AS r ${end}`
}
