import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { deploymentReportMethods } from "./deployment-reports.ts"
import { peopleMethods } from "./people.ts"
import { rateLimitMethods } from "./rate-limits.ts"
import { clientMethods } from "./run-steps.ts"
import { idempotencyMethods } from "./idempotency.ts"
import { integrityMethods } from "./integrity.ts"
import { leaseMethods } from "./leases.ts"
import { nodeMethods } from "./nodes.ts"
import { settlementMethods } from "./settlements.ts"
import { vendorStateMethods } from "./vendor-state.ts"

/** The store on a database whose tables are there. It closes the client when it is closed. */
export function postgresStore(client: PostgresClient): Store {
  return {
    ...clientMethods<SharedStore>(STORE_STEPS, client),
    deploymentReports: deploymentReportMethods(client),
    idempotency: idempotencyMethods(client),
    integrity: integrityMethods(client),
    leases: leaseMethods(client),
    nodes: nodeMethods(client),
    people: peopleMethods(client),
    rateLimits: rateLimitMethods(client),
    settlements: settlementMethods(client),
    vendorState: vendorStateMethods(client),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
