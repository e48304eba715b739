import { texts } from "./arrays.ts"
import type { Conditions } from "./conditions.ts"

/**
 * Selects receipts in chronological order, as SQL. The index sorts the receipts of one account, but not the receipts of
 * several. For several accounts, a page is read for each and the pages are merged.
 * @param accounts all accounts if absent.
 * @param query `end` contains the order and the limit.
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
