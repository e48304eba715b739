import type { Database } from "bun:sqlite"
import { accountMethods, Accounts } from "./accounts.ts"
import { appendAudit } from "../steps/audit.ts"
import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import { LedgerAnchor } from "./ledger-anchor.ts"
import { LedgerPages, entryMethods } from "./ledger-pages.ts"
import { batchMethods } from "./batches.ts"
import { Budgets } from "./budgets.ts"
import { CardPayments } from "./card-payments.ts"
import { codeMethods, Codes } from "./codes.ts"
import { Debts } from "./debts.ts"
import { deploymentReportMethods, DeploymentReports } from "./deployment-reports.ts"
import type { DirectStore } from "./direct-store.ts"
import { Holds } from "./holds.ts"
import { Idempotency, idempotencyMethods } from "./idempotency.ts"
import { integrityMethods } from "./integrity.ts"
import { keyMethods, Keys } from "./keys.ts"
import { leaseMethods, Leases } from "./leases.ts"
import { nodeMethods } from "./node-methods.ts"
import { Nodes } from "./nodes.ts"
import { paymentMethods, Payments } from "./payments.ts"
import { People, peopleMethods } from "./people.ts"
import { Postings } from "./postings.ts"
import { rateLimitMethods, RateLimits } from "./rate-limits.ts"
import { Receipts } from "./receipts.ts"
import { settlementMethods } from "./settlements.ts"
import { directMethods, stepRunner } from "./run-steps.ts"
import { Sealing } from "./sealing.ts"
import { Transactions } from "./transactions.ts"
import { vendorStateMethods, VendorStates } from "./vendor-state.ts"
import { WriteOffs } from "./write-offs.ts"

/** All methods of the store on one database. */
export function storeMethods(database: Database): DirectStore {
  const runStep = stepRunner(database)
  const transactions = new Transactions(database, (record) => runStep(appendAudit(record)))
  const budgets = new Budgets(database)
  const accounts = new Accounts(database, budgets)
  const pages = new LedgerPages(database)
  const codes = new Codes(database, accounts)
  const debts = new Debts(database, accounts)
  const cards = new CardPayments(database, accounts, debts)
  const payments = new Payments(database, accounts, cards)
  const keys = new Keys(database, budgets)
  const deploymentReports = new DeploymentReports(database)
  const nodes = new Nodes(database)
  const holds = new Holds(database)
  const leases = new Leases(database, nodes, budgets)
  const writeOffs = new WriteOffs(database)
  const receipts = new Receipts(database, writeOffs)
  const states = new VendorStates(database)
  const postings = new Postings(database, {
    accounts,
    holds,
    leases,
    receipts,
    writeOffs,
    states,
  })
  const anchor = new LedgerAnchor(database)
  const sealing = new Sealing(database)
  const managed = {
    accounts: accountMethods({ transactions, accounts, keys }),
    entries: entryMethods({ transactions, pages, accounts, debts }),
    keys: keyMethods({ transactions, keys, budgets }),
  }
  return {
    ...directMethods<SharedStore>(STORE_STEPS, runStep, transactions),
    ...managed,
    batches: batchMethods(transactions, managed),
    codes: codeMethods({ transactions, codes, debts }),
    deploymentReports: deploymentReportMethods(transactions, deploymentReports),
    idempotency: idempotencyMethods(transactions, new Idempotency(database)),
    integrity: integrityMethods({ transactions, database, anchor, postings, sealing }),
    leases: leaseMethods({ transactions, leases, debts }),
    nodes: nodeMethods({
      transactions,
      nodes,
      leases,
      holds,
      receipts,
      debts,
    }),
    payments: paymentMethods({ transactions, payments, cards, debts }),
    people: peopleMethods(transactions, database, new People(database, runStep)),
    rateLimits: rateLimitMethods(transactions, new RateLimits(database)),
    settlements: settlementMethods({ transactions, postings, holds, receipts, writeOffs }),
    vendorState: vendorStateMethods({ transactions, states }),
  }
}
