import { ledgerRowFromRow, type StoredLedgerRow } from "../steps/integrity-rows.ts"
import { findLastPrunedEntry, findPrunedRows } from "../steps/pruned-rows.ts"
import type { Store } from "../store.ts"
import { advanceAnchor, findAnchor } from "./anchor.ts"
import { listBalanceFaults } from "./balance-faults.ts"
import type { PostgresClient } from "./client.ts"
import { prune } from "./pruning.ts"
import { selectLedgerRows } from "./ledger-rows.ts"
import { runStep } from "./run-steps.ts"

const ROWS = selectLedgerRows({
  entries: "number, account, key, at, request, false AS is_expired, NULL AS receipt, hash",
  receipts: "NULL, account, key, at, request, is_expired, body, hash",
  expired: "NULL, account, key, at, request, true, body, hash",
})

export function integrityMethods(client: PostgresClient): Store["integrity"] {
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
    listBalanceFaults: (now) => listBalanceFaults(client, now),
    findPrunedRows: () => runStep(client, findPrunedRows()),
    findLastPrunedEntry: (account) => runStep(client, findLastPrunedEntry(account)),
    prune: (before, audit) => prune(client, before, audit),
    advanceAnchor: (at) => advanceAnchor(client, at),
  }
}
