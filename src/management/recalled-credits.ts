import type { Store } from "../store/store.ts"

/** Maximum time that a change waits for processes to return leases that they do not need. */
const RECALL_TIMEOUT_MS = 1_500
const RECALL_POLL_INTERVAL_MS = 50

/**
 * Takes an amount out of a balance. The amount is recalled first, because processes may lease entire balances.
 * @param takeOut returns undefined if the amount is not free yet. It gets the amount that is not leased, and whether
 * this is the last attempt, in which it must not return undefined.
 */
export async function takeRecalled<T>(
  { leases }: Pick<Store, "leases">,
  { account, amount }: { readonly account: string; readonly amount: bigint },
  takeOut: (free: bigint, isLast: boolean) => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + RECALL_TIMEOUT_MS
  try {
    for (;;) {
      const free = await leases.recall(account, amount)
      const taken = await takeOut(free, performance.now() > deadline)
      if (taken !== undefined) return taken
      await Bun.sleep(RECALL_POLL_INTERVAL_MS)
    }
  } finally {
    await leases.endRecall(account)
  }
}
