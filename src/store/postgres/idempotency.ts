import { StoreError } from "../store-error.ts"
import type { Statements } from "./client.ts"

/**
 * Says that what a request was to do is done, in the transaction that does it.
 * @throws StoreError `conflict` when its claim now belongs to another request.
 */
export async function markDone(transaction: Statements, request: string): Promise<void> {
  const changed = await transaction.run(
    "UPDATE idempotency SET state = 'done' WHERE request = $1 AND state IN ('running', 'done')",
    [request],
  )
  if (changed === 0) {
    throw new StoreError("conflict", "the idempotency key of this request was taken over")
  }
}
