import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { rateLimitMethods } from "./rate-limits.ts"
import { clientMethods } from "./run-steps.ts"
import { idempotencyMethods } from "./idempotency.ts"
import { integrityMethods } from "./integrity.ts"
import { leaseMethods } from "./leases.ts"
import { nodeMethods } from "./nodes.ts"
import { settlementMethods } from "./settlements.ts"

/** Creates the store of a migrated database. Disposing it closes the client. */
export function postgresStore(client: PostgresClient): Store {
  const shared = clientMethods<SharedStore>(STORE_STEPS, client)
  return {
    ...shared,
    idempotency: idempotencyMethods(client),
    integrity: { ...shared.integrity, ...integrityMethods(client) },
    leases: leaseMethods(client),
    nodes: nodeMethods(client),
    rateLimits: rateLimitMethods(client),
    settlements: { ...shared.settlements, ...settlementMethods(client) },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
