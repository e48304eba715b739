import type { DeliveryLimits } from "../notices.ts"

/** A target with due deliveries. */
export interface WaitingTarget {
  readonly id: string
  readonly account: string | null
  /** Number of due deliveries, not counted beyond the limit of a target. */
  readonly count: bigint
}

/**
 * Distributes free deliveries among targets.
 * @param waiting targets in the order in which they are served.
 * @returns the maximum deliveries to claim for each target.
 */
export function sharesOf(
  waiting: readonly WaitingTarget[],
  { total, perAccount, perTarget, running }: DeliveryLimits,
): Map<string, number> {
  const ofAccount = new Map<string | null, number>()
  const ofTarget = new Map<string, number>()
  for (const { id, account } of running) {
    ofAccount.set(account, (ofAccount.get(account) ?? 0) + 1)
    ofTarget.set(id, (ofTarget.get(id) ?? 0) + 1)
  }
  const shares = new Map<string, number>()
  let free = total - running.length
  for (const { id, account, count } of waiting) {
    const used = ofAccount.get(account) ?? 0
    const room = Math.min(perTarget - (ofTarget.get(id) ?? 0), perAccount - used, free)
    const share = Math.min(Number(count), room)
    if (share <= 0) continue
    shares.set(id, share)
    ofAccount.set(account, used + share)
    free -= share
  }
  return shares
}
