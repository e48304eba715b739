import type { ConsoleStore } from "../../console-store.ts"
import type { FoundSession, NewSession, SessionRecord } from "../../sessions.ts"
import { FOR_SHARE, sql, type SqlBoolean, where } from "../sql.ts"
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

interface FoundRow {
  readonly id: string
  readonly user_id: string
  readonly expires_at: bigint
  readonly is_remembered: SqlBoolean
}

interface SessionRow {
  readonly id: string
  readonly created_at: bigint
  readonly expires_at: bigint
  readonly address: string | null
  readonly agent: string | null
}

export const sessionSteps: StepMethods<ConsoleStore["sessions"]> = {
  find: statements(find),
  list: statements(list),
  create: transaction(create),
  renew: statements(renew),
  end: transaction(end),
}

function* find(tokenHash: string, now: number): Step<FoundSession | null> {
  const found = yield* row<FoundRow>(
    sql`SELECT id, ${USER_ID} AS user_id, expires_at, is_remembered FROM sessions
      WHERE token_hash = ${tokenHash} AND expires_at > ${now}`,
  )
  if (found === null) return null
  return {
    id: found.id,
    user: found.user_id,
    expiresAt: Number(found.expires_at),
    isRemembered: Boolean(found.is_remembered),
  }
}

function* list(user: string, now: number): Step<SessionRecord[]> {
  const found = yield* rows<SessionRow>(
    sql`SELECT id, created_at, expires_at, address, agent FROM sessions
      WHERE ${USER_ID} = ${user} AND expires_at > ${now} ORDER BY created_at DESC, id LIMIT 200`,
  )
  return found.map(({ created_at: createdAt, expires_at: expiresAt, ...session }) => ({
    ...session,
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
  }))
}

/**
 * Creates a session. The user is locked first, so that a transaction that changes the password or disables the user
 * waits, and then also ends this session.
 */
function* create(session: NewSession, replaced: string | null): Step<boolean> {
  const { id, user, tokenHash, isRemembered, createdAt, expiresAt, address, agent } = session
  if (replaced !== null) yield* run(sql`DELETE FROM sessions WHERE id = ${replaced}`)
  const enabled = where(
    sql`id = ${user}`,
    sql`NOT is_disabled`,
    session.passwordHash !== null && sql`password_hash = ${session.passwordHash}`,
  )
  if (!(yield* exists(sql`SELECT id FROM users ${enabled} ${FOR_SHARE}`))) return false
  yield* run(
    sql`INSERT INTO sessions (id, token_hash, ${USER_ID}, is_remembered, created_at, expires_at, address, agent)
      VALUES (${id}, ${tokenHash}, ${user}, ${isRemembered}, ${createdAt}, ${expiresAt}, ${address}, ${agent})`,
  )
  return true
}

function* renew(id: string, expiresAt: number): Step<void> {
  yield* run(sql`UPDATE sessions SET expires_at = ${expiresAt} WHERE id = ${id}`)
}

function* end(user: string, id: string): Step<boolean> {
  return (yield* run(sql`DELETE FROM sessions WHERE ${USER_ID} = ${user} AND id = ${id}`)) > 0
}
