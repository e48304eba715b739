import type { Store } from "../store.ts"
import type { VendorStateRecord } from "../vendor-state.ts"
import { FOR_UPDATE, numberOrNull, oneOf, perEngine, SKIP_LOCKED, sql, type Sql } from "./sql.ts"
import { rows, run, statements, type Step, type StepMethods } from "./step.ts"

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

/** Maximum rows that one statement deletes. With SQLite, it may run on the gateway's main thread. */
const SLICE = perEngine({ sqlite: sql`250`, postgresql: sql`5000` })

/**
 * Steps on vendor state. Records are written with charges, by `sqlite/vendor-state.ts` and by `keep_vendor_state` on
 * PostgreSQL.
 */
export const vendorStateSteps: StepMethods<Store["vendorState"]> = {
  find: statements(find),
  removeOwner: statements(removeOwner),
  sweep: statements(sweep),
}

function* find(idHashes: readonly string[]): Step<VendorStateRecord[]> {
  const found = yield* rows<StateRow>(
    sql`SELECT id_hash, provider, kind, account, request, tokens, created_at, expires_at
      FROM vendor_state WHERE id_hash ${oneOf(idHashes)}`,
  )
  return found.map(recordFromRow)
}

/**
 * Removes the owner of records. The rows are kept, because requests with unknown ids may be forwarded to the vendor.
 * They are locked in the same order in which charges lock them.
 */
function* removeOwner(account: string, idHashes: readonly string[]): Step<void> {
  yield* run(
    sql`WITH owned AS MATERIALIZED (
        SELECT number FROM vendor_state WHERE account = ${account} AND id_hash ${oneOf(idHashes)}
        ORDER BY id_hash, provider ${FOR_UPDATE}
      )
      UPDATE vendor_state SET account = '' FROM owned WHERE vendor_state.number = owned.number`,
  )
}

/**
 * Deletes some expired records, and some of the oldest if there are more than `max`.
 * @returns the number of deleted records.
 */
function* sweep(now: number, max: number): Step<number> {
  const expired = yield* deleteSome(sql`WHERE expires_at <= ${now} ORDER BY expires_at`)
  const oldest = yield* deleteSome(
    sql`WHERE number <= (SELECT max(number) FROM vendor_state) - CAST(${max} AS bigint) ORDER BY number`,
  )
  return expired + oldest
}

function deleteSome(condition: Sql): Step<number> {
  return run(
    sql`DELETE FROM vendor_state WHERE number IN (
      SELECT number FROM vendor_state ${condition} LIMIT ${SLICE} ${SKIP_LOCKED})`,
  )
}

function recordFromRow(row: StateRow): VendorStateRecord {
  return {
    idHash: row.id_hash,
    provider: row.provider,
    kind: row.kind,
    account: row.account,
    request: row.request,
    tokens: numberOrNull(row.tokens),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
