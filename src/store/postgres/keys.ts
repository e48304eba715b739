import { integerOrNull, jsonOrNull } from "../key-fields.ts"
import type { AccountLimits } from "../accounts.ts"
import type { KeyChange, KeyRecord, KeySecretRecord, NewKey } from "../keys.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import { adjustBudgets, beginBudget, listBudgets } from "./budgets.ts"
import { forgetLabelBudgets, listLabelBudgets } from "./label-budgets.ts"
import type { Statements } from "./client.ts"
import { findKey, listChangedKeys, listKeys } from "./key-queries.ts"
import { nextRevision } from "./revisions.ts"
import type { StoreParts } from "./store-parts.ts"

/** A change of a key locks its row, its budgets and the revision, in this order, as does a change of its account. */
export function keyMethods({ client, audited }: StoreParts): Store["keys"] {
  return {
    find: (id) => findKey(client, id),
    list: (filter, after, limit) => listKeys(client, filter, { after, limit }),
    listChanged: (revision) => listChangedKeys(client, revision),
    listBudgets: (after, limit) => listBudgets(client, after, limit),
    listLabelBudgets: (query) => listLabelBudgets(client, query),
    forgetLabelBudgets: (at) => client.transaction((step) => forgetLabelBudgets(step, at)),
    insert: (key, audit) => audited(audit, (transaction) => insertKey(transaction, key)),
    update: (id, change, audit) =>
      audited(audit, (transaction) => updateKey(transaction, id, change)),
    rotate: (id, secret, graceUntil, audit) =>
      audited(audit, (transaction) => rotate(transaction, id, secret, graceUntil)),
    revoke: (id, at, audit) => audited(audit, (transaction) => revoke(transaction, id, at)),
  }
}

/** Nodes read an account's keys again. */
export async function touchKeys(transaction: Statements, account: string): Promise<void> {
  await transaction.run("SELECT 1 FROM keys WHERE account = $1 ORDER BY id FOR UPDATE", [account])
  const revision = await nextRevision(transaction, "keys")
  await transaction.run("UPDATE keys SET revision = $2 WHERE account = $1", [account, revision])
}

/** @throws StoreError `not_found`, `too_much`. */
export async function insertKey(transaction: Statements, key: NewKey): Promise<KeyRecord> {
  const { id, account, budget, createdAt, createdBy, secret } = key
  await requireRoomForKey(transaction, account)
  await transaction.run(
    `INSERT INTO keys (id, account, name, models, aliases, budget, daily_budget, monthly_budget, requests_per_minute,
       tokens_per_minute, concurrent_requests, expires_at, origins, read_only, addresses, created_at, created_by, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 0)`,
    [id, account, ...changeableOf(key), BigInt(createdAt), createdBy],
  )
  await insertSecret(transaction, id, secret)
  if (budget !== null) await beginBudget(transaction, { owner: id, account }, budget)
  return touched(transaction, id)
}

/** @throws StoreError `not_found`, or `too_much`: of two that create a key, the second sees the first. */
async function requireRoomForKey(transaction: Statements, account: string): Promise<void> {
  const row = await transaction.row<{ limits: string }>(
    "SELECT limits FROM accounts WHERE id = $1 FOR NO KEY UPDATE",
    [account],
  )
  if (!row) throw refusals.noAccount(account)
  const { keys: most } = JSON.parse(row.limits) as AccountLimits
  if (most === undefined) return
  const found = await transaction.row<{ count: bigint }>(
    "SELECT count(*) FROM keys WHERE account = $1 AND revoked_at IS NULL",
    [account],
  )
  if (Number(found?.count ?? 0n) >= most) throw refusals.tooManyKeys(most)
}

/** @throws StoreError `not_found`, `revoked`. */
export async function updateKey(
  transaction: Statements,
  id: string,
  change: KeyChange,
): Promise<KeyRecord> {
  await lockKey(transaction, id)
  const key = { ...(await requireKey(transaction, id)), ...change }
  if (key.revokedAt !== null) throw refusals.keyIsRevoked(id, "revoked")
  await transaction.run(
    `UPDATE keys SET name = $2, models = $3, aliases = $4, budget = $5, daily_budget = $6, monthly_budget = $7,
       requests_per_minute = $8, tokens_per_minute = $9, concurrent_requests = $10, expires_at = $11,
       origins = $12, read_only = $13, addresses = $14, paused_at = $15 WHERE id = $1`,
    [id, ...changeableOf(key), integerOrNull(key.pausedAt)],
  )
  await adjustBudgets(transaction, key, Date.now())
  return touched(transaction, id)
}

async function rotate(
  transaction: Statements,
  id: string,
  secret: KeySecretRecord,
  graceUntil: number,
): Promise<KeyRecord> {
  await lockKey(transaction, id)
  const { revokedAt } = await requireKey(transaction, id)
  if (revokedAt !== null) throw refusals.keyIsRevoked(id, "not_found")
  await transaction.run(
    "UPDATE key_secrets SET expires_at = least(expires_at, $2) WHERE key = $1",
    [id, BigInt(graceUntil)],
  )
  await insertSecret(transaction, id, secret)
  return touched(transaction, id)
}

async function revoke(transaction: Statements, id: string, at: number): Promise<KeyRecord> {
  await lockKey(transaction, id)
  await transaction.run("UPDATE keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1", [
    id,
    BigInt(at),
  ])
  return touched(transaction, id)
}

/** Keeps others from changing a key until the transaction is over. */
async function lockKey(transaction: Statements, id: string): Promise<void> {
  const row = await transaction.row("SELECT id FROM keys WHERE id = $1 FOR UPDATE", [id])
  if (!row) throw refusals.noKey(id)
}

/** Gives a changed key the next revision. @returns the key as it is now. */
async function touched(transaction: Statements, id: string): Promise<KeyRecord> {
  const revision = await nextRevision(transaction, "keys")
  await transaction.run("UPDATE keys SET revision = $2 WHERE id = $1", [id, revision])
  return requireKey(transaction, id)
}

async function requireKey(statements: Statements, id: string): Promise<KeyRecord> {
  const key = await findKey(statements, id)
  if (!key) throw refusals.noKey(id)
  return key
}

/** In the order of the columns from `name` to `origins`. */
function changeableOf(key: Required<Omit<KeyChange, "pausedAt">>) {
  return [
    key.name,
    jsonOrNull(key.models),
    jsonOrNull(key.aliases),
    key.budget,
    key.dailyBudget,
    key.monthlyBudget,
    integerOrNull(key.requestsPerMinute),
    integerOrNull(key.tokensPerMinute),
    integerOrNull(key.concurrentRequests),
    integerOrNull(key.expiresAt),
    jsonOrNull(key.origins),
    key.isReadOnly,
    jsonOrNull(key.addresses),
  ]
}

async function insertSecret(
  transaction: Statements,
  key: string,
  { hash, hint, createdAt, expiresAt }: KeySecretRecord,
): Promise<void> {
  await transaction.run(
    "INSERT INTO key_secrets (hash, key, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    [hash, key, hint, BigInt(createdAt), integerOrNull(expiresAt)],
  )
}
