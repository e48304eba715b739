import { ledgerRowFromRow, type StoredLedgerRow } from "../steps/integrity-rows.ts"
import type { SharedIntegrity } from "../steps/integrity.ts"
import type { Store } from "../store.ts"
import { advanceAnchor, findAnchor } from "./anchor.ts"
import type { PostgresClient } from "./client.ts"
import { prune } from "./pruning.ts"
import { selectLedgerRows } from "./anchor.ts"

const ROWS = selectLedgerRows({
  entries: "number, account, key, at, request, false AS is_expired, NULL AS receipt, hash",
  receipts: "NULL, account, key, at, request, is_expired, body, hash",
  expired: "NULL, account, key, at, request, true, body, hash",
})

export function integrityMethods(
  client: PostgresClient,
): Omit<Store["integrity"], keyof SharedIntegrity> {
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
