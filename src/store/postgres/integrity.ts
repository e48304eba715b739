import type { LedgerRow } from "../integrity.ts"
import type { Store } from "../store.ts"
import { advanceAnchor, findAnchor } from "./anchor.ts"
import { listBalanceFaults } from "./balance-faults.ts"
import type { PostgresClient } from "./client.ts"
import { findAccountSeal, findSeal, seal } from "./sealing.ts"
import { selectLedgerRows } from "./ledger-rows.ts"
import { numberOrNull } from "../steps/sql.ts"

interface RowRow {
  readonly position: bigint
  readonly number: bigint | null
  readonly account: string
  readonly key: string | null
  readonly at: bigint
  readonly request: string | null
  readonly is_expired: boolean
  readonly receipt: string | null
  readonly hash: string
}

const ROWS = selectLedgerRows({
  entries: "number, account, key, at, request, false AS is_expired, NULL AS receipt, hash",
  receipts: "NULL, account, key, at, request, is_expired, body, hash",
  expired: "NULL, account, key, at, request, true, body, hash",
})

export function integrityMethods(client: PostgresClient): Store["integrity"] {
  return {
    findAnchor: () => findAnchor(client),
    async listRows(after, limit) {
      const rows = await client.rows<RowRow>(ROWS, [
        BigInt(after),
        BigInt(Number.MAX_SAFE_INTEGER),
        BigInt(limit),
      ])
      return rows.map(rowFromRow)
    },
    listBalanceFaults: (now) => listBalanceFaults(client, now),
    findSeal: () => findSeal(client),
    findAccountSeal: (account) => findAccountSeal(client, account),
    seal: (before, audit) => seal(client, before, audit),
    advanceAnchor: (at) => advanceAnchor(client, at),
  }
}

function rowFromRow(row: RowRow): LedgerRow {
  return {
    position: Number(row.position),
    number: numberOrNull(row.number),
    account: row.account,
    key: row.key,
    at: Number(row.at),
    request: row.request,
    isExpired: row.is_expired,
    receipt: row.receipt,
    hash: row.hash,
  }
}
