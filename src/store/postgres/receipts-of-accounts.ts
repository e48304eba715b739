import { texts } from "./arrays.ts"
import type { Conditions } from "./conditions.ts"

/**
 * Selects receipts in an order of time, as SQL. The index sorts the receipts of one account, but not of several. For
 * several accounts, each one's page is read and the pages are merged.
 * @param accounts absent: all accounts.
 * @param query `end` is the order and the limit.
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
