import type { ConsoleStore } from "../../console-store.ts"
import type { PasskeyRecord } from "../../passkeys.ts"
import { FOR_UPDATE, numberOrNull, sql } from "../sql.ts"
import {
  exists,
  row,
  rows,
  run,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "../step.ts"
import { USER_ID } from "./user-id.ts"

interface PasskeyRow {
  readonly id: string
  readonly user_id: string
  readonly credential: string
  readonly public_key: string
  readonly counter: bigint
  readonly transports: string
  readonly name: string
  readonly created_at: bigint
  readonly last_used_at: bigint | null
}

const SELECT = sql`SELECT id, ${USER_ID} AS user_id, credential, public_key, counter, transports, name, created_at,
  last_used_at FROM passkeys`

export const passkeySteps: StepMethods<ConsoleStore["passkeys"]> = {
  list: statements(list),
  findByCredential: statements(findByCredential),
  create: transaction(create),
  rename: statements(rename),
  remove: transaction(remove),
  removeAll: statements(removeAll),
  use: transaction(use),
}

function* list(user: string): Step<PasskeyRecord[]> {
  const found = yield* rows<PasskeyRow>(
    sql`${SELECT} WHERE ${USER_ID} = ${user} ORDER BY created_at, id`,
  )
  return found.map(passkeyFromRow)
}

function* findByCredential(credential: string): Step<PasskeyRecord | null> {
  const found = yield* row<PasskeyRow>(sql`${SELECT} WHERE credential = ${credential}`)
  return found && passkeyFromRow(found)
}

/** Creates a passkey. The user is locked, so that simultaneous additions include each other in their count. */
function* create(passkey: PasskeyRecord, max: number): Step<boolean> {
  const { id, user, credential, publicKey, counter, name, createdAt } = passkey
  const transports = JSON.stringify(passkey.transports)
  const enabled = sql`SELECT id FROM users WHERE id = ${user} AND NOT is_disabled ${FOR_UPDATE}`
  if (!(yield* exists(enabled))) return false
  const own = yield* row<{ count: bigint }>(
    sql`SELECT count(*) AS count FROM passkeys WHERE ${USER_ID} = ${user}`,
  )
  if (Number(own?.count ?? 0n) >= max) return false
  const created = yield* run(
    sql`INSERT INTO passkeys (id, ${USER_ID}, credential, public_key, counter, transports, name, created_at)
      VALUES (${id}, ${user}, ${credential}, ${publicKey}, ${counter}, ${transports}, ${name}, ${createdAt})
      ON CONFLICT DO NOTHING`,
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

function passkeyFromRow(row: PasskeyRow): PasskeyRecord {
  return {
    id: row.id,
    user: row.user_id,
    credential: row.credential,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    name: row.name,
    createdAt: Number(row.created_at),
    lastUsedAt: numberOrNull(row.last_used_at),
  }
}
