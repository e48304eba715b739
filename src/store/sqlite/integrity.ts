import type { Database } from "bun:sqlite"
import { appendAudit } from "../steps/audit.ts"
import { findLastPrunedEntry, findPrunedRows } from "../steps/pruned-rows.ts"
import { balanceFaults } from "./balance-checks.ts"
import type { LedgerAnchor } from "./ledger-anchor.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Postings } from "./postings.ts"
import type { RunStep } from "./run-steps.ts"
import type { Pruning } from "./pruning.ts"
import type { Transactions } from "./transactions.ts"

interface IntegrityParts {
  readonly transactions: Transactions
  readonly runStep: RunStep
  readonly database: Database
  readonly anchor: LedgerAnchor
  readonly postings: Postings
  readonly pruning: Pruning
}

export function integrityMethods(parts: IntegrityParts): DirectStore["integrity"] {
  const { transactions, runStep, database, anchor, postings, pruning } = parts
  return {
    findAnchor: () => transactions.consistently(() => anchor.find()),
    findPrunedRows: () => runStep(findPrunedRows()),
    findLastPrunedEntry: (account) => runStep(findLastPrunedEntry(account)),
    prune: (before, audit) =>
      transactions.atomically(() => {
        const step = pruning.step(before)
        if (step.isPruned) runStep(appendAudit(audit))
        return step
      }),
    listRows: (after, limit) => anchor.rows(after, limit),
    listBalanceFaults: (now) => transactions.consistently(() => balanceFaults(database, now)),
    advanceAnchor(at) {
      transactions.atomically(() => postings.writeAnchor())
      return anchor.advance(at)
    },
  }
}
