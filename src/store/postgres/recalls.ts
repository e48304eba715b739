import type { Statements } from "./client.ts"

/** What stands in `recalls` in the place of a node, for as long as it takes: a budget is to shrink, an account owes. */
export const RECALLS_FOREVER = { budget: "(budget)", debt: "(debt)" } as const

const FOREVER = BigInt(Number.MAX_SAFE_INTEGER)

/** Asks nodes for the idle parts of their leases until it is ended. */
export async function recallFor(
  transaction: Statements,
  reason: keyof typeof RECALLS_FOREVER,
  { owner, amount }: { readonly owner: string; readonly amount: bigint },
): Promise<void> {
  await transaction.run(
    `INSERT INTO recalls (owner, node, at, amount) VALUES ($1, $2, $3, $4)
     ON CONFLICT (owner, node) DO UPDATE SET at = excluded.at, amount = excluded.amount`,
    [owner, RECALLS_FOREVER[reason], FOREVER, amount],
  )
}

export async function endRecall(
  transaction: Statements,
  reason: keyof typeof RECALLS_FOREVER,
  owner: string,
): Promise<void> {
  await transaction.run("DELETE FROM recalls WHERE owner = $1 AND node = $2", [
    owner,
    RECALLS_FOREVER[reason],
  ])
}
