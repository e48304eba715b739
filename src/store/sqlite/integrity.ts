import { appendAudit } from "../steps/audit.ts"
import type { SharedIntegrity } from "../steps/integrity.ts"
import type { LedgerAnchor } from "./ledger-anchor.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Postings } from "./postings.ts"
import type { RunStep } from "./run-steps.ts"
import type { Pruning } from "./pruning.ts"
import type { Transactions } from "./transactions.ts"

interface IntegrityParts {
  readonly transactions: Transactions
  readonly runStep: RunStep
  readonly anchor: LedgerAnchor
  readonly postings: Postings
  readonly pruning: Pruning
}

export function integrityMethods(
  parts: IntegrityParts,
): Omit<DirectStore["integrity"], keyof SharedIntegrity> {
  const { transactions, runStep, anchor, postings, pruning } = parts
  return {
    findAnchor: () => transactions.consistently(() => anchor.find()),
    prune: (before, audit) =>
      transactions.atomically(() => {
        const step = pruning.step(before)
        if (step.isPruned) runStep(appendAudit(audit))
        return step
      }),
    listRows: (after, limit) => anchor.rows(after, limit),
    advanceAnchor(at) {
      transactions.atomically(() => postings.writeAnchor())
      return anchor.advance(at)
    },
  }
}
