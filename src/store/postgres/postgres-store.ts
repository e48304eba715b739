import { type SharedStore, STORE_STEPS } from "../steps/store-steps.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { rateLimitMethods } from "./rate-limits.ts"
import { clientMethods } from "./run-steps.ts"
import { idempotencyMethods } from "./idempotency.ts"
import { leaseMethods } from "./leases.ts"
import { nodeMethods } from "./nodes.ts"
import { settlementMethods } from "./settlements.ts"
import { ledgerRowFromRow, type StoredLedgerRow } from "../steps/integrity-rows.ts"
import type { SharedIntegrity } from "../steps/integrity.ts"
import { advanceAnchor, findAnchor, selectLedgerRows } from "./anchor.ts"
import { prune } from "./pruning.ts"

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

const ROWS = selectLedgerRows({
  entries: "number, account, key, at, request, false AS is_expired, NULL AS receipt, hash",
  receipts: "NULL, account, key, at, request, is_expired, body, hash",
  expired: "NULL, account, key, at, request, true, body, hash",
})

function integrityMethods(client: PostgresClient): Omit<Store["integrity"], keyof SharedIntegrity> {
  return {
    findAnchor: () => findAnchor(client),
    async listRows(after, limit) {
      const rows = await client.rows<StoredLedgerRow>(ROWS, [
        BigInt(after),
        BigInt(Number.MAX_SAFE_INTEGER),
        BigInt(limit),
      ])
      return rows.map(ledgerRowFromRow)
    },
    prune: (before, audit) => prune(client, before, audit),
    advanceAnchor: (at) => advanceAnchor(client, at),
  }
}
