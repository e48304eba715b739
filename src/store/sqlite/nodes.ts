import type { HoldRecord } from "../settlements.ts"
import type { Debts } from "./debts.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Keys } from "./keys.ts"
import type { Leases } from "./leases.ts"
import type { Postings } from "./postings.ts"
import type { ConsoleSettings } from "./settings.ts"
import type { Transactions } from "./transactions.ts"

interface NodeParts {
  readonly transactions: Transactions
  readonly leases: Leases
  readonly postings: Postings
  readonly debts: Debts
  readonly keys: Keys
  readonly settings: ConsoleSettings
}

export function nodeMethods(parts: NodeParts): DirectStore["nodes"] {
  const { transactions, leases, postings, debts, keys, settings } = parts

  function remove(id: string): HoldRecord[] {
    const expired = leases.remove(id)
    for (const hold of expired) postings.expire(hold)
    debts.collectAll(Date.now())
    return expired
  }

  return {
    list: () => leases.list(),
    join: (node) => transactions.atomically(() => leases.join(node)),
    poll: (id, beatAt) => {
      if (beatAt !== null) transactions.atomically(() => leases.beat(id, beatAt))
      const revisions = { revision: keys.revision(), settingsRevision: settings.revision() }
      return leases.changes(id, revisions)
    },
    remove: (id) => transactions.atomically(() => remove(id)),
  }
}

type LeaseParts = Pick<NodeParts, "transactions" | "leases" | "debts">

/** How nodes get their shares of balances, and give them back. */
export function leaseMethods({ transactions, leases, debts }: LeaseParts): DirectStore["leases"] {
  return {
    take: (request) =>
      transactions.atomically(() => ({ ...leases.take(request), debt: debts.of(request.owner) })),
    giveBack: (node, shares) =>
      transactions.atomically(() => {
        leases.giveBack(node, shares)
        for (const { owner } of shares) debts.collect(owner, Date.now())
      }),
    recall: (owner, amount) => transactions.atomically(() => leases.recall(owner, amount)),
    endRecall: (owner) => transactions.atomically(() => leases.endRecall(owner)),
  }
}
