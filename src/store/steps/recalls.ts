import { sql } from "./sql.ts"
import { run, type Step } from "./step.ts"

/** Values in `recalls` in place of nodes, for budgets to reduce and for debts. These recalls do not expire. */
export const RECALLS_FOREVER = { budget: "(budget)", debt: "(debt)" } as const

type Reason = keyof typeof RECALLS_FOREVER

/** Asks nodes for the idle parts of their leases, until `endRecall` is called. */
export function* recallFor(reason: Reason, owner: string, amount: bigint): Step<void> {
  yield* run(
    sql`INSERT INTO recalls (owner, node, at, amount)
      VALUES (${owner}, ${RECALLS_FOREVER[reason]}, ${Number.MAX_SAFE_INTEGER}, ${amount})
      ON CONFLICT (owner, node) DO UPDATE SET at = excluded.at, amount = excluded.amount`,
  )
}

export function* endRecall(reason: Reason, owner: string): Step<void> {
  yield* run(sql`DELETE FROM recalls WHERE owner = ${owner} AND node = ${RECALLS_FOREVER[reason]}`)
}
