import type { Database } from "bun:sqlite"
import { appendAudit } from "../steps/audit.ts"
import { balanceFaults } from "./balance-checks.ts"
import type { LedgerAnchor } from "./ledger-anchor.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Postings } from "./postings.ts"
import type { RunStep } from "./run-steps.ts"
import type { Sealing } from "./sealing.ts"
import type { Transactions } from "./transactions.ts"

interface IntegrityParts {
  readonly transactions: Transactions
  readonly runStep: RunStep
  readonly database: Database
  readonly anchor: LedgerAnchor
  readonly postings: Postings
  readonly sealing: Sealing
}

export function integrityMethods(parts: IntegrityParts): DirectStore["integrity"] {
  const { transactions, runStep, database, anchor, postings, sealing } = parts
  return {
    findAnchor: () => transactions.consistently(() => anchor.find()),
    findSeal: () => sealing.find(),
    findAccountSeal: (account) => sealing.findOf(account),
    seal: (before, audit) =>
      transactions.atomically(() => {
        const step = sealing.step(before)
        if (step.isSealed) runStep(appendAudit(audit))
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
