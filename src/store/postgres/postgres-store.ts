import { appendAudit } from "../steps/audit.ts"
import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import type { Store } from "../store.ts"
import { accountMethods } from "./accounts.ts"
import { batchMethods } from "./batches.ts"
import type { PostgresClient } from "./client.ts"
import { codeMethods } from "./codes.ts"
import { deploymentReportMethods } from "./deployment-reports.ts"
import { paymentMethods } from "./payments.ts"
import { peopleMethods } from "./people.ts"
import { rateLimitMethods } from "./rate-limits.ts"
import { clientMethods, runStep } from "./run-steps.ts"
import { entryMethods } from "./entries.ts"
import { idempotencyMethods } from "./idempotency.ts"
import { integrityMethods } from "./integrity.ts"
import { keyMethods } from "./keys.ts"
import { leaseMethods } from "./leases.ts"
import { nodeMethods } from "./nodes.ts"
import { settlementMethods } from "./settlements.ts"
import type { StoreParts } from "./store-parts.ts"
import { vendorStateMethods } from "./vendor-state.ts"

/** The store on a database whose tables are there. It closes the client when it is closed. */
export function postgresStore(client: PostgresClient): Store {
  const parts: StoreParts = {
    client,
    audited: (record, step) =>
      client.transaction(async (transaction) => {
        const result = await step(transaction)
        await runStep(transaction, appendAudit(record))
        return result
      }),
  }
  return {
    ...clientMethods<SharedStore>(STORE_STEPS, client),
    accounts: accountMethods(parts),
    batches: batchMethods(client),
    codes: codeMethods(parts),
    deploymentReports: deploymentReportMethods(client),
    entries: entryMethods(parts),
    idempotency: idempotencyMethods(client),
    integrity: integrityMethods(client),
    keys: keyMethods(parts),
    leases: leaseMethods(client),
    nodes: nodeMethods(client),
    payments: paymentMethods(parts),
    people: peopleMethods(client),
    rateLimits: rateLimitMethods(client),
    settlements: settlementMethods(client),
    vendorState: vendorStateMethods(client),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
