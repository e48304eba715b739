import type { Store } from "../store.ts"
import type { VendorStateRecord } from "../vendor-state.ts"
import { RecordColumns } from "./record-columns.ts"
import { FOR_UPDATE, oneOf, perEngine, SKIP_LOCKED, sql, type Sql } from "./sql.ts"
import { run, statements, type Step, type StepMethods } from "./step.ts"

const STATE = new RecordColumns<VendorStateRecord>({
  idHash: "text",
  provider: "text",
  kind: "text",
  account: "text",
  request: "text",
  tokens: "number",
  createdAt: "number",
  expiresAt: "number",
})

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

function find(idHashes: readonly string[]): Step<VendorStateRecord[]> {
  return STATE.rows(
    sql`SELECT ${STATE.selected} FROM vendor_state WHERE id_hash ${oneOf(idHashes)}`,
  )
}

/**
 * Clears the owner of records. The rows are kept, because requests with unknown ids may be forwarded to the vendor.
 * Rows are locked in the same order as by charges.
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
