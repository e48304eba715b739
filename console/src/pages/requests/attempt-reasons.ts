import type { FailedAttemptDocument } from "tollgate-contract/failures.ts"
import type { Receipt } from "tollgate-contract/receipts.ts"

/**
 * Returns the reason for each failed attempt, or undefined if the reason is unknown. Both lists are in chronological
 * order.
 */
export function reasonsOf(
  attempts: Receipt["attempts"],
  failures: readonly FailedAttemptDocument[],
): (string | undefined)[] {
  const left = [...failures]
  return attempts.map(({ deployment, outcome }) => {
    const at = left.findIndex((one) => one.deployment === deployment && one.outcome === outcome)
    const [reason] = at === -1 ? [] : left.splice(at, 1)
    if (reason === undefined || reason.message === null) return undefined
    return reason.code === null ? reason.message : `${reason.code}: ${reason.message}`
  })
}
