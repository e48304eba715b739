import type { DirectStore } from "../store.ts"
import type { Debts } from "./debts.ts"
import type { Leases } from "./leases.ts"
import type { Transactions } from "./transactions.ts"

interface LeaseParts {
  readonly transactions: Transactions
  readonly leases: Leases
  readonly debts: Debts
}

/** The steps by which processes get their shares of balances and give them back. */
export function leaseSteps({ transactions, leases, debts }: LeaseParts) {
  return {
    lease: (order) =>
      transactions.atomically(() => ({ ...leases.lease(order), debt: debts.of(order.owner) })),
    returnLeases: (node, shares) =>
      transactions.atomically(() => {
        leases.returnLeases(node, shares)
        for (const { owner } of shares) debts.collect(owner, Date.now())
      }),
    recall: (owner, amount) => transactions.atomically(() => leases.recall(owner, amount)),
    endRecall: (owner) => transactions.atomically(() => leases.endRecall(owner)),
  } satisfies Partial<DirectStore>
}
