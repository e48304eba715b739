import type { ConsoleStore } from "../../console-store.ts"
import type { PasskeyRecord } from "../../passkeys.ts"
import { column, RecordColumns } from "../record-columns.ts"
import { FOR_UPDATE, sql } from "../sql.ts"
import { exists, row, run, statements, type Step, type StepMethods, transaction } from "../step.ts"
import { USER_ID } from "./user-id.ts"

const PASSKEY = new RecordColumns<PasskeyRecord>({
  id: "text",
  user: column("text", USER_ID),
  credential: "text",
  publicKey: "text",
  counter: "number",
  transports: "json",
  name: "text",
  createdAt: "number",
  lastUsedAt: "number",
})
const SELECT = sql`SELECT ${PASSKEY.selected} FROM passkeys`

export const passkeySteps: StepMethods<ConsoleStore["passkeys"]> = {
  list: statements(list),
  findByCredential: statements(findByCredential),
  create: transaction(create),
  rename: statements(rename),
  remove: transaction(remove),
  removeAll: statements(removeAll),
  use: transaction(use),
}

function list(user: string): Step<PasskeyRecord[]> {
  return PASSKEY.rows(sql`${SELECT} WHERE ${USER_ID} = ${user} ORDER BY created_at, id`)
}

function findByCredential(credential: string): Step<PasskeyRecord | null> {
  return PASSKEY.row(sql`${SELECT} WHERE credential = ${credential}`)
}

/** Creates a passkey. The user is locked, so that simultaneous additions include each other in their count. */
function* create(passkey: PasskeyRecord, max: number): Step<boolean> {
  const { user } = passkey
  const enabled = sql`SELECT id FROM users WHERE id = ${user} AND NOT is_disabled ${FOR_UPDATE}`
  if (!(yield* exists(enabled))) return false
  const own = yield* row<{ count: bigint }>(
    sql`SELECT count(*) AS count FROM passkeys WHERE ${USER_ID} = ${user}`,
  )
  if (Number(own?.count ?? 0n) >= max) return false
  const created = yield* run(
    sql`INSERT INTO passkeys (${PASSKEY.names}) VALUES (${PASSKEY.values(passkey)}) ON CONFLICT DO NOTHING`,
  )
  return created > 0
}

function* rename(user: string, id: string, name: string): Step<boolean> {
  const changed = yield* run(
    sql`UPDATE passkeys SET name = ${name} WHERE ${USER_ID} = ${user} AND id = ${id}`,
  )
  return changed > 0
}

function* remove(user: string, id: string): Step<boolean> {
  return (yield* run(sql`DELETE FROM passkeys WHERE ${USER_ID} = ${user} AND id = ${id}`)) > 0
}

function* removeAll(user: string): Step<void> {
  yield* run(sql`DELETE FROM passkeys WHERE ${USER_ID} = ${user}`)
}

/** Records a use. The counter of an authenticator increases with each use, or is always zero. */
function* use(id: string, counter: number, at: number): Step<boolean> {
  const isNew = counter === 0 ? sql`counter = 0` : sql`counter < ${counter}`
  const used = yield* run(
    sql`UPDATE passkeys SET counter = ${counter}, last_used_at = ${at} WHERE id = ${id} AND ${isNew}`,
  )
  return used > 0
}
