import type { Statements } from "./client.ts"

/** What nodes look at to see whether something has changed. */
export type Revised = "keys" | "settings"

/**
 * The next revision. Its row is locked until the transaction is over: so a greater revision never becomes visible before a
 * smaller one, and nobody who reads what changed after a revision misses any. Taken after the locks on accounts, keys and
 * balances, and before the end of the audit log, by everyone.
 */
export async function nextRevision(transaction: Statements, name: Revised): Promise<bigint> {
  const row = await transaction.row<{ number: bigint }>(
    "UPDATE revisions SET number = number + 1 WHERE name = $1 RETURNING number",
    [name],
  )
  if (!row) throw new Error(`the database has no revision of '${name}'`)
  return row.number
}
