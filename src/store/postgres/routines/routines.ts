import type { Statements, Transaction } from "../client.ts"
import appendWriteOffs from "./append-write-offs.sql" with { type: "text" }
import expireHolds from "./expire-holds.sql" with { type: "text" }
import keepVendorState from "./keep-vendor-state.sql" with { type: "text" }
import labelRequests from "./label-requests.sql" with { type: "text" }
import performIdempotency from "./perform-idempotency.sql" with { type: "text" }
import postBatch from "./post-batch.sql" with { type: "text" }
import rejectChange from "./reject-change.sql" with { type: "text" }
import setExpiredAside from "./set-expired-aside.sql" with { type: "text" }
import settleBatch from "./settle-batch.sql" with { type: "text" }
import storedAmount from "./stored-amount.sql" with { type: "text" }
import takeLease from "./take-lease.sql" with { type: "text" }
import tollgateNow from "./tollgate-now.sql" with { type: "text" }

type Routines = Readonly<Record<string, string>>

/** The functions and procedures of the database, by the name of their file. */
export const ROUTINES: Routines = {
  "append-write-offs": appendWriteOffs,
  "expire-holds": expireHolds,
  "keep-vendor-state": keepVendorState,
  "label-requests": labelRequests,
  "perform-idempotency": performIdempotency,
  "post-batch": postBatch,
  "reject-change": rejectChange,
  "set-expired-aside": setExpiredAside,
  "settle-batch": settleBatch,
  "stored-amount": storedAmount,
  "take-lease": takeLease,
  "tollgate-now": tollgateNow,
}

/** Whether a database has all routines with their current texts. */
export async function areInstalled(statements: Statements, routines: Routines): Promise<boolean> {
  return (await changed(statements, routines)).length === 0
}

/** Creates or replaces the routines whose text has changed. */
export async function installRoutines(transaction: Transaction, routines: Routines): Promise<void> {
  // Bodies are only checked when they run, so that the order of routines and tables does not matter.
  await transaction.script("SET LOCAL check_function_bodies = off")
  for (const [name, sql, hash] of await changed(transaction, routines)) {
    await transaction.script(sql)
    await transaction.run(
      `INSERT INTO tollgate_routines (name, hash) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET hash = excluded.hash`,
      [name, hash],
    )
  }
}

/** Returns the name, text and hash of each missing or changed routine. */
async function changed(statements: Statements, routines: Routines) {
  const rows = await statements.rows<{ name: string; hash: string }>(
    "SELECT name, hash FROM tollgate_routines",
  )
  const installed = new Map(rows.map(({ name, hash }) => [name, hash]))
  return Object.entries(routines)
    .map(([name, sql]) => [name, sql, hashOf(sql)] as const)
    .filter(([name, , hash]) => installed.get(name) !== hash)
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}
