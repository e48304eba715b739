import type { ConsoleStore } from "../../console-store.ts"
import type {
  Identity,
  UserChange,
  UserChangeOutcome,
  UserFilter,
  UserInput,
  UserRecord,
} from "../../users.ts"
import { column, RecordColumns } from "../record-columns.ts"
import { contains, FOR_UPDATE, noneOf, oneOf, sql, type Sql, where } from "../sql.ts"
import {
  exists,
  row,
  rows,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "../step.ts"
import { USER_ID } from "./user-id.ts"

const USER = new RecordColumns<UserRecord>({
  id: "text",
  name: "text",
  email: "text",
  isOperator: "boolean",
  isDisabled: "boolean",
  hasTwoFactor: column(
    "boolean",
    sql`EXISTS (SELECT 1 FROM second_factors WHERE ${USER_ID} = users.id AND is_active)`,
  ),
  hasPassword: column("boolean", sql`password_hash IS NOT NULL`),
  createdAt: "number",
  lastSeenAt: "number",
})
const SELECT = sql`SELECT ${USER.selected} FROM users`

/** The number of an advisory lock, which is "operator" as a number. */
const USERS_LOCK = 8030038472133013618n

export const userSteps: StepMethods<ConsoleStore["users"]> = {
  hasOperator: statements(() => hasOperator()),
  find: statements(find),
  findByEmail: statements((email) => findUser(sql`email = ${email}`)),
  findByIdentity: statements(findByIdentity),
  identities: statements(identities),
  list: statements(list),
  many: statements(many),
  passwordHash: statements(passwordHash),
  create: transaction(create),
  link: statements(linkOnce),
  linkAlone: transaction(linkAlone),
  change: transaction(change),
  remove: transaction(remove),
  setPassword: transaction(setPassword),
  seen: statements(seen),
}

function find(id: string): Step<UserRecord | null> {
  return findUser(sql`id = ${id}`)
}

function findUser(condition: Sql): Step<UserRecord | null> {
  return USER.row(sql`${SELECT} WHERE ${condition}`)
}

function findByIdentity({ provider, subject }: Identity): Step<UserRecord | null> {
  return findUser(
    sql`id = (SELECT ${USER_ID} FROM identities WHERE provider = ${provider} AND subject = ${subject})`,
  )
}

function* identities(id: string): Step<Identity[]> {
  const found = yield* rows<Identity>(
    sql`SELECT provider, subject FROM identities WHERE ${USER_ID} = ${id} ORDER BY provider, subject`,
  )
  return found.map(({ provider, subject }) => ({ provider, subject }))
}

function list({ search, after, limit }: UserFilter): Step<UserRecord[]> {
  const text = search?.toLowerCase()
  return USER.rows(
    sql`${SELECT} ${where(
      text !== undefined &&
        sql`(${contains(sql`lower(name)`, text)} OR ${contains(sql`email`, text)})`,
      after && sql`(created_at, id) > (${after.createdAt}, ${after.id})`,
    )} ORDER BY created_at, id LIMIT ${limit}`,
  )
}

function* many(ids: readonly string[]): Step<ReadonlyMap<string, UserRecord>> {
  const found = yield* USER.rows(sql`${SELECT} WHERE id ${oneOf(ids)}`)
  return new Map(found.map((user) => [user.id, user]))
}

function* passwordHash(id: string): Step<string | null> {
  const found = yield* row<{ password_hash: string | null }>(
    sql`SELECT password_hash FROM users WHERE id = ${id}`,
  )
  return found?.password_hash ?? null
}

function* create(user: UserInput): Step<"created" | "email_taken" | "operator_exists"> {
  yield* lockUsers()
  if (user.isFirst && (yield* hasOperator())) return "operator_exists"
  const created = yield* run(
    sql`INSERT INTO users (id, name, email, password_hash, is_operator, is_disabled, created_at)
      VALUES (${user.id}, ${user.name}, ${user.email}, ${user.passwordHash}, ${user.isFirst}, false, ${user.createdAt})
      ON CONFLICT (email) DO NOTHING`,
  )
  if (created === 0) return "email_taken"
  if (user.identity) yield* link(user.id, user.identity, user.createdAt)
  return "created"
}

function* linkOnce(id: string, identity: Identity, at: number): Step<void> {
  yield* link(id, identity, at)
}

function* linkAlone(
  id: string,
  identity: Identity,
  at: number,
  kept: readonly string[],
): Step<boolean> {
  const { provider, subject } = identity
  const enabled = sql`SELECT id FROM users WHERE id = ${id} AND NOT is_disabled ${FOR_UPDATE}`
  if (!(yield* exists(enabled))) return false
  if (!(yield* link(id, identity, at))) return false
  yield* run(
    sql`DELETE FROM identities WHERE ${USER_ID} = ${id} AND (provider, subject) <> (${provider}, ${subject})
      AND (provider = ${provider} OR provider ${noneOf(kept)})`,
  )
  yield* run(sql`DELETE FROM passkeys WHERE ${USER_ID} = ${id}`)
  yield* setPassword(id, null)
  return true
}

function* change(id: string, changes: UserChange): Step<UserChangeOutcome> {
  const user = yield* lockUser(id)
  if (user === null) return "not_found"
  const { name, email, isOperator, isDisabled } = { ...user, ...changes }
  const others = sql`SELECT id FROM users WHERE email = ${email} AND id <> ${id}`
  if (yield* exists(others)) return "email_taken"
  const isLast = isActiveOperator(user) && !(yield* hasOperator(id))
  if (isLast && !isActiveOperator({ isOperator, isDisabled })) return "last_operator"
  yield* run(
    sql`UPDATE users SET name = ${name}, email = ${email}, is_operator = ${isOperator}, is_disabled = ${isDisabled}
      WHERE id = ${id}`,
  )
  if (isDisabled) yield* run(sql`DELETE FROM sessions WHERE ${USER_ID} = ${id}`)
  return "changed"
}

function* remove(id: string): Step<boolean> {
  const user = yield* lockUser(id)
  if (user === null) return true
  if (isActiveOperator(user) && !(yield* hasOperator(id))) return false
  yield* run(sql`DELETE FROM users WHERE id = ${id}`)
  return true
}

function* setPassword(id: string, hash: string | null, replaced?: string): Step<boolean> {
  const changed = yield* run(
    sql`UPDATE users SET password_hash = ${hash} ${where(
      sql`id = ${id}`,
      replaced !== undefined && sql`password_hash = ${replaced}`,
    )}`,
  )
  if (changed === 0) return false
  yield* run(sql`DELETE FROM sessions WHERE ${USER_ID} = ${id}`)
  yield* run(sql`DELETE FROM proofs WHERE ${USER_ID} = ${id}`)
  return true
}

function* seen(id: string, at: number): Step<void> {
  yield* run(sql`UPDATE users SET last_seen_at = ${at} WHERE id = ${id}`)
}

/**
 * Links an identity.
 * @returns false if the identity already belongs to a user.
 */
function* link(id: string, { provider, subject }: Identity, at: number): Step<boolean> {
  const linked = yield* run(
    sql`INSERT INTO identities (provider, subject, ${USER_ID}, created_at)
      VALUES (${provider}, ${subject}, ${id}, ${at}) ON CONFLICT (provider, subject) DO NOTHING`,
  )
  return linked > 0
}

/**
 * Whether an operator can sign in.
 * @param apartFrom the id of a user to ignore.
 */
function* hasOperator(apartFrom = ""): Step<boolean> {
  return yield* exists(
    sql`SELECT 1 FROM users WHERE is_operator AND NOT is_disabled AND id <> ${apartFrom} LIMIT 1`,
  )
}

function isActiveOperator({
  isOperator,
  isDisabled,
}: Pick<UserRecord, "isOperator" | "isDisabled">): boolean {
  return isOperator && !isDisabled
}

/**
 * Serializes the creation of users and changes to users, so that email addresses stay unique and an operator remains.
 */
function lockUsers(): Step<void> {
  return runOnPostgresql(sql`SELECT pg_advisory_xact_lock(${USERS_LOCK})`)
}

function* lockUser(id: string): Step<UserRecord | null> {
  yield* lockUsers()
  return yield* findUser(sql`id = ${id} ${FOR_UPDATE}`)
}
