import type { Database } from "bun:sqlite"
import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import { LedgerAnchor } from "./ledger-anchor.ts"
import type { DirectStore } from "./direct-store.ts"
import { Holds, Postings } from "./postings.ts"
import { Idempotency, idempotencyMethods } from "./idempotency.ts"
import { leaseMethods, Leases } from "./leases.ts"
import { Nodes } from "./nodes.ts"
import { rateLimitMethods, RateLimits } from "./rate-limits.ts"
import { Receipts } from "./receipts.ts"
import { settlementMethods } from "./settlements.ts"
import { directMethods, stepRunner, type RunStep } from "./run-steps.ts"
import { Pruning } from "./pruning.ts"
import { Transactions } from "./transactions.ts"
import { VendorStates } from "./vendor-state.ts"
import { WriteOffs } from "./write-offs.ts"
import { appendAudit } from "../steps/audit.ts"
import type { SharedIntegrity } from "../steps/integrity.ts"
import type { HoldRecord } from "../settlements.ts"
import { takeHolds } from "../steps/settlements.ts"

/** Creates all methods of the store on one database. */
export function storeMethods(database: Database): DirectStore {
  const runStep = stepRunner(database)
  const transactions = new Transactions(database)
  const nodes = new Nodes(database)
  const holds = new Holds(database)
  const leases = new Leases(database, nodes, runStep)
  const writeOffs = new WriteOffs(database)
  const receipts = new Receipts(database, writeOffs)
  const states = new VendorStates(database)
  const postings = new Postings(database, {
    holds,
    leases,
    receipts,
    writeOffs,
    states,
  })
  const anchor = new LedgerAnchor(database)
  const pruning = new Pruning(database)
  const shared = directMethods<SharedStore>(STORE_STEPS, () => ({ runStep, transactions }))
  return {
    ...shared,
    idempotency: idempotencyMethods(transactions, new Idempotency(database)),
    integrity: {
      ...shared.integrity,
      ...integrityMethods({ transactions, runStep, anchor, postings, pruning }),
    },
    leases: leaseMethods({ transactions, leases, runStep }),
    nodes: nodeMethods({ transactions, runStep, nodes, leases, receipts }),
    personKeys: { ...shared.personKeys, erase: overwriting(database, shared.personKeys.erase) },
    rateLimits: rateLimitMethods(transactions, new RateLimits(database)),
    settlements: {
      ...shared.settlements,
      ...settlementMethods({ transactions, postings, receipts }),
    },
  }
}

/** Wraps a method so that removed rows are also overwritten in the file. */
function overwriting<Parameters extends readonly unknown[], Result>(
  database: Database,
  method: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  return (...parameters) => {
    database.run("PRAGMA secure_delete = ON")
    try {
      return method(...parameters)
    } finally {
      database.run("PRAGMA secure_delete = OFF")
    }
  }
}

interface IntegrityParts {
  readonly transactions: Transactions
  readonly runStep: RunStep
  readonly anchor: LedgerAnchor
  readonly postings: Postings
  readonly pruning: Pruning
}

function integrityMethods(
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

interface NodeParts {
  readonly transactions: Transactions
  readonly nodes: Nodes
  readonly leases: Leases
  readonly runStep: RunStep
  readonly receipts: Receipts
}

function nodeMethods(parts: NodeParts): DirectStore["nodes"] {
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
