import type { Store } from "../store.ts"
import type { VendorStateRecord } from "../vendor-state.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"

/** Rows that one step deletes at most. */
const SLICE = 5_000n

interface StateRow {
  readonly id_hash: string
  readonly provider: string
  readonly kind: string
  readonly account: string
  readonly request: string
  readonly tokens: bigint | null
  readonly created_at: bigint
  readonly expires_at: bigint
}

/** What vendors keep for accounts is written with the charges, by `keep_vendor_state`. */
export function vendorStateMethods(client: PostgresClient): Store["vendorState"] {
  return {
    async find(idHashes) {
      const rows = await client.rows<StateRow>(
        `SELECT id_hash, provider, kind, account, request, tokens, created_at, expires_at
         FROM vendor_state WHERE id_hash = ANY($1) ORDER BY id_hash, provider`,
        [texts(idHashes)],
      )
      return rows.map(recordFromRow)
    },
    /** It is not deleted: an id that is not known could be passed on. Locked in the order in which charges lock. */
    async disown(account, idHashes) {
      await client.run(
        `WITH owned AS MATERIALIZED (
           SELECT number FROM vendor_state WHERE account = $1 AND id_hash = ANY($2)
           ORDER BY id_hash, provider FOR UPDATE
         )
         UPDATE vendor_state SET account = '' FROM owned WHERE vendor_state.number = owned.number`,
        [account, texts(idHashes)],
      )
    },
    async sweep(now, max) {
      const expired = await client.run(
        `DELETE FROM vendor_state WHERE number IN (
           SELECT number FROM vendor_state WHERE expires_at <= $1
           ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        [BigInt(now), SLICE],
      )
      return expired + (await deleteOldest(client, BigInt(max)))
    },
  }
}

async function deleteOldest(statements: Statements, max: bigint): Promise<number> {
  return statements.run(
    `DELETE FROM vendor_state WHERE number IN (
       SELECT number FROM vendor_state WHERE number <= (SELECT max(number) FROM vendor_state) - $1
       ORDER BY number LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [max, SLICE],
  )
}

function recordFromRow(row: StateRow): VendorStateRecord {
  return {
    idHash: row.id_hash,
    provider: row.provider,
    kind: row.kind,
    account: row.account,
    request: row.request,
    tokens: row.tokens === null ? null : Number(row.tokens),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
