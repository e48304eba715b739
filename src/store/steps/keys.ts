import type { KeyChange, KeyFilter, KeyRecord, KeySecretRecord, NewKey } from "../keys.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import type { TimePosition } from "../time-position.ts"
import { requireRoom } from "./account-room.ts"
import { audited } from "./audit.ts"
import { adjustBudgets, beginBudget, leftOrNull, listBudgets, periodsAt } from "./budgets.ts"
import { forgetLabelBudgets, listLabelBudgets } from "./label-budgets.ts"
import { column, RecordColumns } from "./record-columns.ts"
import { nextRevision, REVISIONS } from "./revisions.ts"
import { oneOf, perEngine, sql, type Sql, where } from "./sql.ts"
import {
  row,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

/** A key with the spent amounts of its budgets, which are null until a budget of the period is used. */
type StoredKey = Omit<KeyRecord, "budgetLeft" | "dailyLeft" | "monthlyLeft"> & {
  readonly budgetSpent: bigint | null
  readonly dailySpent: bigint | null
  readonly monthlySpent: bigint | null
}

/** Steps on keys. A change to a key or its account locks the key's row, its budgets and the revision, in this order. */
export const keySteps: StepMethods<Store["keys"]> = {
  find: statements(find),
  list: statements(list),
  listChanged: statements(listChanged),
  listBudgets: statements(listBudgets),
  listLabelBudgets: statements(listLabelBudgets),
  forgetLabelBudgets: transaction(forgetLabelBudgets),
  insert: transaction((key, audit) => audited(audit, insertKey(key))),
  update: transaction((id, change, audit) => audited(audit, updateKey(id, change))),
  rotate: transaction((id, secret, until, audit) => audited(audit, rotate(id, secret, until))),
  revoke: transaction((id, at, audit) => audited(audit, revoke(id, at))),
}

const NEWEST_FIRST = sql`secret.expires_at IS NOT NULL, secret.created_at DESC, secret.expires_at DESC`

/** The secrets of a key as JSON, newest first. */
const SECRETS = perEngine({
  sqlite: sql`SELECT json_group_array(json_object('hash', secret.hash, 'hint', secret.hint,
      'createdAt', secret.created_at, 'expiresAt', secret.expires_at) ORDER BY ${NEWEST_FIRST})
    FROM key_secrets AS secret WHERE secret.key = keys.id`,
  postgresql: sql`SELECT coalesce(json_agg(json_build_object('hash', secret.hash, 'hint', secret.hint,
      'createdAt', secret.created_at, 'expiresAt', secret.expires_at) ORDER BY ${NEWEST_FIRST}), '[]')::text
    FROM key_secrets AS secret WHERE secret.key = keys.id`,
})

const KEY = new RecordColumns<StoredKey>(
  {
    id: "text",
    account: "text",
    name: "text",
    models: "json",
    aliases: "json",
    origins: "json",
    addresses: "json",
    isReadOnly: column("boolean", sql`keys.read_only`),
    budget: "bigint",
    dailyBudget: "bigint",
    monthlyBudget: "bigint",
    requestsPerMinute: "number",
    tokensPerMinute: "number",
    concurrentRequests: "number",
    createdAt: "number",
    createdBy: "text",
    expiresAt: "number",
    revokedAt: "number",
    pausedAt: "number",
    storesContent: column("boolean", sql`accounts.stores_content`),
    accountState: column("text", sql`accounts.state`),
    accountLimits: column("json", sql`accounts.limits`),
    budgetSpent: column("bigint", sql`total.allotted - total.posted`),
    dailySpent: column("bigint", sql`day.allotted - day.posted`),
    monthlySpent: column("bigint", sql`month.allotted - month.posted`),
    secrets: column("json", sql`(${SECRETS})`),
  },
  "keys",
)

/** Selects keys with all of their data in one statement, so that the data is consistent. */
function selectKeys(): Sql {
  const [day, month] = periodsAt(Date.now())
  return sql`SELECT ${KEY.selected}
    FROM keys JOIN accounts ON accounts.id = keys.account
    LEFT JOIN balances AS total ON total.owner = keys.id
    LEFT JOIN balances AS day ON day.owner = keys.id || ${day}
    LEFT JOIN balances AS month ON month.owner = keys.id || ${month}`
}

function* find(id: string): Step<KeyRecord | null> {
  const found = yield* KEY.row(sql`${selectKeys()} WHERE keys.id = ${id}`)
  return found && withLeft(found)
}

/** Lists keys, newest first. Balances and secrets are only read for the keys on the page. */
function* list(
  { accounts, status, createdBy, now }: KeyFilter,
  after: TimePosition | null,
  limit: number,
): Step<KeyRecord[]> {
  const page = sql`SELECT id FROM keys ${where(
    accounts && sql`account ${oneOf(accounts)}`,
    status === "revoked" && sql`revoked_at IS NOT NULL`,
    status !== undefined && status !== "revoked" && sql`revoked_at IS NULL`,
    status === "expired" && sql`expires_at <= ${now}`,
    status === "active" && sql`(expires_at IS NULL OR expires_at > ${now})`,
    createdBy !== undefined && sql`created_by = ${createdBy}`,
    after && sql`(created_at, id) < (${after.at}, ${after.id})`,
  )} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
  const found = yield* KEY.rows(
    sql`${selectKeys()} WHERE keys.id IN (${page}) ORDER BY keys.created_at DESC, keys.id DESC`,
  )
  return found.map(withLeft)
}

/**
 * Lists changed keys. The revision is read first, so that keys that change in the meantime are also in the next list.
 */
function* listChanged(after: number): Step<{ revision: number; keys: KeyRecord[] }> {
  const revision = yield* row<{ number: bigint }>(sql`${REVISIONS.keys}`)
  const found = yield* KEY.rows(sql`${selectKeys()} WHERE keys.revision > ${after}`)
  return { revision: Number(revision?.number ?? 0n), keys: found.map(withLeft) }
}

/** Makes nodes reload an account's keys. */
export function* touchKeys(account: string): Step<void> {
  yield* runOnPostgresql(sql`SELECT 1 FROM keys WHERE account = ${account} ORDER BY id FOR UPDATE`)
  const revision = yield* nextRevision("keys")
  yield* run(sql`UPDATE keys SET revision = ${revision} WHERE account = ${account}`)
}

/**
 * Adds a key.
 * @throws StoreError `not_found`, `too_much`.
 */
export function* insertKey(key: NewKey): Step<KeyRecord> {
  const { id, account, name, budget, dailyBudget, monthlyBudget, createdAt, createdBy } = key
  const active = sql`keys WHERE account = ${account} AND revoked_at IS NULL`
  yield* requireRoom(account, "keys", active, rejections.tooManyKeys)
  yield* run(
    sql`INSERT INTO keys (id, account, name, models, aliases, budget, daily_budget, monthly_budget, requests_per_minute,
        tokens_per_minute, concurrent_requests, expires_at, origins, read_only, addresses, created_at, created_by, revision)
      VALUES (${id}, ${account}, ${name}, ${jsonOrNull(key.models)}, ${jsonOrNull(key.aliases)}, ${budget}, ${dailyBudget},
        ${monthlyBudget}, ${key.requestsPerMinute}, ${key.tokensPerMinute}, ${key.concurrentRequests}, ${key.expiresAt},
        ${jsonOrNull(key.origins)}, ${key.isReadOnly}, ${jsonOrNull(key.addresses)}, ${createdAt}, ${createdBy}, 0)`,
  )
  yield* insertSecret(id, key.secret)
  if (budget !== null) yield* beginBudget({ owner: id, account }, budget)
  return yield* touched(id)
}

/**
 * Changes a key.
 * @throws StoreError `not_found`, `revoked`.
 */
export function* updateKey(id: string, change: KeyChange): Step<KeyRecord> {
  const key = { ...(yield* lockKey(id)), ...change }
  if (key.revokedAt !== null) throw rejections.keyIsRevoked(id, "revoked")
  yield* run(
    sql`UPDATE keys SET name = ${key.name}, models = ${jsonOrNull(key.models)}, aliases = ${jsonOrNull(key.aliases)},
        budget = ${key.budget}, daily_budget = ${key.dailyBudget}, monthly_budget = ${key.monthlyBudget},
        requests_per_minute = ${key.requestsPerMinute}, tokens_per_minute = ${key.tokensPerMinute},
        concurrent_requests = ${key.concurrentRequests}, expires_at = ${key.expiresAt},
        origins = ${jsonOrNull(key.origins)}, read_only = ${key.isReadOnly}, addresses = ${jsonOrNull(key.addresses)},
        paused_at = ${key.pausedAt}
      WHERE id = ${id}`,
  )
  yield* adjustBudgets(key, Date.now())
  return yield* touched(id)
}

function* rotate(id: string, secret: KeySecretRecord, graceUntil: number): Step<KeyRecord> {
  const { revokedAt } = yield* lockKey(id)
  if (revokedAt !== null) throw rejections.keyIsRevoked(id, "not_found")
  yield* run(
    sql`UPDATE key_secrets SET expires_at = CASE WHEN expires_at < ${graceUntil} THEN expires_at ELSE ${graceUntil} END
      WHERE key = ${id}`,
  )
  yield* insertSecret(id, secret)
  return yield* touched(id)
}

function* revoke(id: string, at: number): Step<KeyRecord> {
  yield* lockKey(id)
  yield* run(sql`UPDATE keys SET revoked_at = coalesce(revoked_at, ${at}) WHERE id = ${id}`)
  return yield* touched(id)
}

/** Locks a key until the transaction ends. @throws StoreError `not_found`. */
function* lockKey(id: string): Step<KeyRecord> {
  yield* runOnPostgresql(sql`SELECT id FROM keys WHERE id = ${id} FOR UPDATE`)
  return yield* requireKey(id)
}

/**
 * Assigns the next revision to a changed key.
 * @returns the key after the change.
 */
function* touched(id: string): Step<KeyRecord> {
  const revision = yield* nextRevision("keys")
  yield* run(sql`UPDATE keys SET revision = ${revision} WHERE id = ${id}`)
  return yield* requireKey(id)
}

function* requireKey(id: string): Step<KeyRecord> {
  const key = yield* find(id)
  if (!key) throw rejections.noKey(id)
  return key
}

function* insertSecret(id: string, secret: KeySecretRecord): Step<void> {
  const { hash, hint, createdAt, expiresAt } = secret
  yield* run(
    sql`INSERT INTO key_secrets (hash, key, hint, created_at, expires_at)
      VALUES (${hash}, ${id}, ${hint}, ${createdAt}, ${expiresAt})`,
  )
}

function withLeft({ budgetSpent, dailySpent, monthlySpent, ...key }: StoredKey): KeyRecord {
  return {
    ...key,
    budgetLeft: leftOrNull(key.budget, budgetSpent),
    dailyLeft: leftOrNull(key.dailyBudget, dailySpent),
    monthlyLeft: leftOrNull(key.monthlyBudget, monthlySpent),
  }
}

function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
