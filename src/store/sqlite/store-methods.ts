import type { Database } from "bun:sqlite"
import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import { LedgerAnchor } from "./ledger-anchor.ts"
import type { DirectStore } from "./direct-store.ts"
import { Holds } from "./postings.ts"
import { Idempotency, idempotencyMethods } from "./idempotency.ts"
import { integrityMethods } from "./integrity.ts"
import { leaseMethods, Leases } from "./leases.ts"
import { nodeMethods } from "./node-methods.ts"
import { Nodes } from "./nodes.ts"
import { Postings } from "./postings.ts"
import { rateLimitMethods, RateLimits } from "./rate-limits.ts"
import { Receipts } from "./receipts.ts"
import { settlementMethods } from "./settlements.ts"
import { directMethods, stepRunner } from "./run-steps.ts"
import { Pruning } from "./pruning.ts"
import { Transactions } from "./transactions.ts"
import { VendorStates } from "./vendor-state.ts"
import { WriteOffs } from "./write-offs.ts"

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
