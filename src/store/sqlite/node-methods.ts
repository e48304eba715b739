import type { HoldRecord } from "../settlements.ts"
import type { DirectStore } from "./direct-store.ts"
import { takeHolds } from "../steps/settlements.ts"
import type { RunStep } from "./run-steps.ts"
import type { Leases } from "./leases.ts"
import type { Nodes } from "./nodes.ts"
import type { Receipts } from "./receipts.ts"
import type { Transactions } from "./transactions.ts"

interface NodeParts {
  readonly transactions: Transactions
  readonly nodes: Nodes
  readonly leases: Leases
  readonly runStep: RunStep
  readonly receipts: Receipts
}

export function nodeMethods(parts: NodeParts): DirectStore["nodes"] {
  const { transactions, nodes, runStep, leases, receipts } = parts

  function remove(id: string, at: number, silence?: number): HoldRecord[] {
    if (silence !== undefined && at - (nodes.beatOf(id) ?? at) <= silence) return []
    const expired = runStep(takeHolds(id))
    leases.giveBackAll(id)
    nodes.remove(id)
    for (const hold of expired) receipts.expire(hold)
    return expired
  }

  return {
    list: () => nodes.list(),
    join: (node) => transactions.atomically(() => nodes.join(node)),
    poll: (id, beatAt) => {
      if (beatAt !== null) transactions.atomically(() => nodes.beat(id, beatAt))
      return {
        known: nodes.isKnown(id),
        ...nodes.counts(),
        ...nodes.revisions(),
        recalls: leases.recallsFrom(id),
      }
    },
    remove: (id, at, silence) => transactions.atomically(() => remove(id, at, silence)),
  }
}
