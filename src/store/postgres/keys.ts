import { budgetOwner } from "../../accounting/budget-periods.ts"
import {
  integerOrNull,
  jsonOrNull,
  keyRecordOf,
  type StoredKey,
  type StoredSecret,
} from "../key-fields.ts"
import type { KeyChange, KeyFilter, KeyRecord, KeySecretRecord, NewKey } from "../keys.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import type { TimePosition } from "../time-position.ts"
import { texts } from "./arrays.ts"
import { adjustBudgets, beginBudget, listBudgets } from "./budgets.ts"
import type { Statements } from "./client.ts"
import { Conditions } from "./conditions.ts"
import { nextRevision } from "./revisions.ts"
import type { StoreParts } from "./store-parts.ts"

interface KeyRow extends StoredKey {
  readonly stores_content: boolean
}

type SecretRow = StoredSecret & { readonly key: string }

/** @param conditions which keys, all conditions on columns of `keys` alone, with the order and limit of the page. */
function selectKeys(conditions: string, day: string, month: string): string {
  return `SELECT keys.id, keys.account, keys.name, models, aliases, origins, budget, daily_budget,
    monthly_budget, requests_per_minute, tokens_per_minute, keys.created_at, expires_at, revoked_at,
    total.allotted - total.posted AS budget_spent, day.allotted - day.posted AS daily_spent,
    month.allotted - month.posted AS monthly_spent, accounts.stores_content
  FROM (SELECT id, account, name, models, aliases, origins, budget, daily_budget, monthly_budget,
      requests_per_minute, tokens_per_minute, created_at, expires_at, revoked_at
    FROM keys ${conditions}) AS keys
  JOIN accounts ON accounts.id = keys.account
  LEFT JOIN balances AS total ON total.owner = keys.id
  LEFT JOIN balances AS day ON day.owner = keys.id || ${day}
  LEFT JOIN balances AS month ON month.owner = keys.id || ${month}
  ORDER BY keys.created_at DESC, keys.id DESC`
}

export function keyMethods({ client, audited }: StoreParts): Store["keys"] {
  return {
    find: (id) => client.consistently((statements) => findKey(statements, id)),
    list: (filter, after, limit) =>
      client.consistently((statements) => list(statements, filter, { after, limit })),
    listChanged: (revision) =>
      client.consistently(async (statements) => {
        const conditions = new Conditions()
        conditions.add("revision > ?", revision)
        const keys = await read(statements, conditions, "")
        return { revision: await currentRevision(statements), keys }
      }),
    listBudgets: (after, limit) => listBudgets(client, after, limit),
    insert: (key, audit) => audited(audit, (transaction) => insert(transaction, key)),
    update: (id, change, audit) => audited(audit, (transaction) => update(transaction, id, change)),
    rotate: (id, secret, graceUntil, audit) =>
      audited(audit, (transaction) => rotate(transaction, id, { secret, graceUntil })),
    revoke: (id, at, audit) =>
      audited(audit, async (transaction) => {
        await lockKey(transaction, id)
        await transaction.run(
          "UPDATE keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
          [id, BigInt(at)],
        )
        return touched(transaction, id)
      }),
  }
}

/** Nodes read an account's keys again. */
export async function touchKeys(transaction: Statements, account: string): Promise<void> {
  await transaction.run("UPDATE keys SET revision = $2 WHERE account = $1", [
    account,
    await nextRevision(transaction, "keys"),
  ])
}

async function insert(transaction: Statements, key: NewKey): Promise<KeyRecord> {
  const account = await transaction.row("SELECT id FROM accounts WHERE id = $1", [key.account])
  if (!account) throw refusals.noAccount(key.account)
  await transaction.run(
    `INSERT INTO keys (id, account, name, models, aliases, budget, daily_budget, monthly_budget,
       requests_per_minute, tokens_per_minute, created_at, expires_at, origins, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0)`,
    [
      key.id,
      key.account,
      key.name,
      jsonOrNull(key.models),
      jsonOrNull(key.aliases),
      key.budget,
      key.dailyBudget,
      key.monthlyBudget,
      integerOrNull(key.requestsPerMinute),
      integerOrNull(key.tokensPerMinute),
      BigInt(key.createdAt),
      integerOrNull(key.expiresAt),
      jsonOrNull(key.origins),
    ],
  )
  if (key.budget !== null) {
    await beginBudget(transaction, { owner: key.id, account: key.account }, key.budget)
  }
  await insertSecret(transaction, key.id, key.secret)
  return touched(transaction, key.id)
}

async function update(transaction: Statements, id: string, change: KeyChange): Promise<KeyRecord> {
  const key = { ...(await lockKey(transaction, id)), ...change }
  if (key.revokedAt !== null) {
    throw refusals.keyIsRevoked(id, "revoked")
  }
  await transaction.run(
    `UPDATE keys SET name = $2, models = $3, aliases = $4, budget = $5, daily_budget = $6,
       monthly_budget = $7, requests_per_minute = $8, tokens_per_minute = $9, expires_at = $10,
       origins = $11 WHERE id = $1`,
    [
      id,
      key.name,
      jsonOrNull(key.models),
      jsonOrNull(key.aliases),
      key.budget,
      key.dailyBudget,
      key.monthlyBudget,
      integerOrNull(key.requestsPerMinute),
      integerOrNull(key.tokensPerMinute),
      integerOrNull(key.expiresAt),
      jsonOrNull(key.origins),
    ],
  )
  await adjustBudgets(transaction, key, Date.now())
  return touched(transaction, id)
}

interface Rotation {
  readonly secret: KeySecretRecord
  readonly graceUntil: number
}

async function rotate(
  transaction: Statements,
  id: string,
  { secret, graceUntil }: Rotation,
): Promise<KeyRecord> {
  const key = await lockKey(transaction, id)
  if (key.revokedAt !== null) {
    throw refusals.keyIsRevoked(id, "not_found")
  }
  await transaction.run(
    "UPDATE key_secrets SET expires_at = least(coalesce(expires_at, $2), $2) WHERE key = $1",
    [id, BigInt(graceUntil)],
  )
  await insertSecret(transaction, id, secret)
  return touched(transaction, id)
}

async function insertSecret(
  transaction: Statements,
  key: string,
  secret: KeySecretRecord,
): Promise<void> {
  await transaction.run(
    "INSERT INTO key_secrets (hash, key, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    [secret.hash, key, secret.hint, BigInt(secret.createdAt), integerOrNull(secret.expiresAt)],
  )
}

/** Gives a changed key the next revision. @returns the key as it is now. */
async function touched(transaction: Statements, id: string): Promise<KeyRecord> {
  await transaction.run("UPDATE keys SET revision = $2 WHERE id = $1", [
    id,
    await nextRevision(transaction, "keys"),
  ])
  return requireKey(transaction, id)
}

/** Keeps others from changing a key until the transaction is over. */
async function lockKey(transaction: Statements, id: string): Promise<KeyRecord> {
  await transaction.run("SELECT 1 FROM keys WHERE id = $1 FOR UPDATE", [id])
  return requireKey(transaction, id)
}

async function requireKey(statements: Statements, id: string): Promise<KeyRecord> {
  const key = await findKey(statements, id)
  if (!key) throw refusals.noKey(id)
  return key
}

async function findKey(statements: Statements, id: string): Promise<KeyRecord | null> {
  const conditions = new Conditions()
  conditions.add("id = ?", id)
  const [key] = await read(statements, conditions, "")
  return key ?? null
}

interface Page {
  readonly after: TimePosition | null
  readonly limit: number
}

async function list(
  statements: Statements,
  { accounts, status, now }: KeyFilter,
  { after, limit }: Page,
): Promise<KeyRecord[]> {
  const conditions = new Conditions()
  conditions.among("account", accounts)
  if (status === "revoked") conditions.always("revoked_at IS NOT NULL")
  if (status === "expired") {
    conditions.always("revoked_at IS NULL")
    conditions.add("expires_at <= ?", now)
  }
  if (status === "active") {
    conditions.always("revoked_at IS NULL")
    conditions.add("(expires_at IS NULL OR expires_at > ?)", now)
  }
  if (after !== null) {
    const at = conditions.place(BigInt(after.at))
    conditions.always(`(created_at, id) < (${at}, ${conditions.place(after.id)})`)
  }
  const max = conditions.place(BigInt(limit))
  return read(statements, conditions, `ORDER BY created_at DESC, id DESC LIMIT ${max}`)
}

/** Reads keys with their secrets, the newest first. */
async function read(
  statements: Statements,
  conditions: Conditions,
  page: string,
): Promise<KeyRecord[]> {
  const now = Date.now()
  const day = conditions.place(budgetOwner("", "day", now))
  const month = conditions.place(budgetOwner("", "month", now))
  const rows = await statements.rows<KeyRow>(
    selectKeys(`${conditions.where} ${page}`, day, month),
    conditions.values,
  )
  if (rows.length === 0) return []
  const secrets = await secretsOf(
    statements,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => keyRecordOf(row, row.stores_content, secrets.get(row.id) ?? []))
}

async function secretsOf(
  statements: Statements,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly SecretRow[]>> {
  const rows = await statements.rows<SecretRow>(
    `SELECT key, hash, hint, created_at, expires_at FROM key_secrets WHERE key = ANY($1)
     ORDER BY expires_at IS NOT NULL, created_at DESC, expires_at DESC`,
    [texts(keys)],
  )
  return Map.groupBy(rows, ({ key }) => key)
}

async function currentRevision(statements: Statements): Promise<number> {
  const row = await statements.row<{ number: bigint }>(
    "SELECT number FROM revisions WHERE name = 'keys'",
  )
  return Number(row?.number ?? 0n)
}
