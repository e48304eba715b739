import type { ConsoleStore } from "../../console-store.ts"
import type { FoundSession, NewSession, SessionRecord } from "../../sessions.ts"
import { column, RecordColumns } from "../record-columns.ts"
import { FOR_SHARE, sql, where } from "../sql.ts"
import { exists, run, statements, type Step, type StepMethods, transaction } from "../step.ts"
import { USER_ID } from "./user-id.ts"

const FOUND = new RecordColumns<FoundSession>({
  id: "text",
  user: column("text", USER_ID),
  expiresAt: "number",
  isRemembered: "boolean",
})
const SESSION = new RecordColumns<SessionRecord>({
  id: "text",
  createdAt: "number",
  expiresAt: "number",
  address: "text",
  agent: "text",
})

export const sessionSteps: StepMethods<ConsoleStore["sessions"]> = {
  find: statements(find),
  list: statements(list),
  create: transaction(create),
  renew: statements(renew),
  end: transaction(end),
}

function find(tokenHash: string, now: number): Step<FoundSession | null> {
  return FOUND.row(
    sql`SELECT ${FOUND.selected} FROM sessions WHERE token_hash = ${tokenHash} AND expires_at > ${now}`,
  )
}

function list(user: string, now: number): Step<SessionRecord[]> {
  return SESSION.rows(
    sql`SELECT ${SESSION.selected} FROM sessions
      WHERE ${USER_ID} = ${user} AND expires_at > ${now} ORDER BY created_at DESC, id LIMIT 200`,
  )
}

/**
 * Creates a session. The user is locked first, so that a transaction that changes the password or disables the user
 * waits, and then also ends this session.
 */
function* create(session: NewSession, replaced: string | null): Step<boolean> {
  const { user, tokenHash, isRemembered } = session
  if (replaced !== null) yield* run(sql`DELETE FROM sessions WHERE id = ${replaced}`)
  const enabled = where(
    sql`id = ${user}`,
    sql`NOT is_disabled`,
    session.passwordHash !== null && sql`password_hash = ${session.passwordHash}`,
  )
  if (!(yield* exists(sql`SELECT id FROM users ${enabled} ${FOR_SHARE}`))) return false
  yield* run(
    sql`INSERT INTO sessions (${SESSION.names}, token_hash, ${USER_ID}, is_remembered)
      VALUES (${SESSION.values(session)}, ${tokenHash}, ${user}, ${isRemembered})`,
  )
  return true
}

function* renew(id: string, expiresAt: number): Step<void> {
  yield* run(sql`UPDATE sessions SET expires_at = ${expiresAt} WHERE id = ${id}`)
}

function* end(user: string, id: string): Step<boolean> {
  return (yield* run(sql`DELETE FROM sessions WHERE ${USER_ID} = ${user} AND id = ${id}`)) > 0
}
