import type {
  Identity,
  UserChange,
  UserChangeOutcome,
  UserFilter,
  UserInput,
  UserReads,
  UserRecord,
  UserWrites,
} from "../../users.ts"
import { texts } from "../arrays.ts"
import type { PostgresClient, Statements } from "../client.ts"
import { Conditions } from "../conditions.ts"
import type { Value } from "../connection-pool.ts"
import { isViolationOf } from "../failure.ts"

interface UserRow {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly is_operator: boolean
  readonly is_disabled: boolean
  readonly has_two_factor: boolean
  readonly has_password: boolean
  readonly created_at: bigint
  readonly last_seen_at: bigint | null
}

const SELECT = `SELECT id, name, email, is_operator, is_disabled, password_hash IS NOT NULL AS has_password,
  EXISTS (SELECT FROM second_factors WHERE user_id = users.id AND is_active) AS has_two_factor,
  created_at, last_seen_at FROM users`

/** Who makes or unmakes operators does it one after the other: "operator" as a number. */
const OPERATORS_LOCK = 8030038472133013618n

/** The users of the console. */
export class PostgresUsers implements UserReads, UserWrites {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  hasOperator(): Promise<boolean> {
    return hasOperator(this.#client)
  }

  find(id: string): Promise<UserRecord | null> {
    return this.#find("id = $1", [id])
  }

  findByEmail(email: string): Promise<UserRecord | null> {
    return this.#find("email = $1", [email])
  }

  findByIdentity({ provider, subject }: Identity): Promise<UserRecord | null> {
    const where = "id = (SELECT user_id FROM identities WHERE provider = $1 AND subject = $2)"
    return this.#find(where, [provider, subject])
  }

  async identities(id: string): Promise<Identity[]> {
    const rows = await this.#client.rows<Identity>(
      "SELECT provider, subject FROM identities WHERE user_id = $1 ORDER BY provider, subject",
      [id],
    )
    return rows.map(({ provider, subject }) => ({ provider, subject }))
  }

  async list({ search, after, limit }: UserFilter): Promise<UserRecord[]> {
    const conditions = new Conditions()
    conditions.add("(strpos(lower(name), ?) > 0 OR strpos(email, ?) > 0)", search?.toLowerCase())
    if (after) {
      const at = conditions.place(BigInt(after.createdAt))
      conditions.always(`(created_at, id) > (${at}, ${conditions.place(after.id)})`)
    }
    const max = conditions.place(BigInt(limit))
    const rows = await this.#client.rows<UserRow>(
      `${SELECT} ${conditions.where} ORDER BY created_at, id LIMIT ${max}`,
      conditions.values,
    )
    return rows.map(userFromRow)
  }

  async many(ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> {
    const rows = await this.#client.rows<UserRow>(`${SELECT} WHERE id = ANY($1)`, [texts(ids)])
    return new Map(rows.map((row) => [row.id, userFromRow(row)]))
  }

  async passwordHash(id: string): Promise<string | null> {
    const row = await this.#client.row<{ password_hash: string | null }>(
      "SELECT password_hash FROM users WHERE id = $1",
      [id],
    )
    return row?.password_hash ?? null
  }

  async create(user: UserInput): Promise<"created" | "email_taken" | "operator_exists"> {
    try {
      return await this.#client.transaction((transaction) => create(transaction, user))
    } catch (error) {
      if (isViolationOf(error, "users_email_key")) return "email_taken"
      throw error
    }
  }

  async link(id: string, identity: Identity, at: number): Promise<void> {
    await link(this.#client, id, identity, at)
  }

  linkAlone(id: string, identity: Identity, at: number, kept: readonly string[]): Promise<boolean> {
    const { provider, subject } = identity
    return this.#client.transaction(async (transaction) => {
      const where = "id = $1 AND NOT is_disabled FOR UPDATE"
      if ((await transaction.row(`SELECT 1 FROM users WHERE ${where}`, [id])) === null) return false
      if (!(await link(transaction, id, identity, at))) return false
      await transaction.run(
        `DELETE FROM identities WHERE user_id = $1 AND (provider, subject) <> ($2, $3)
           AND (provider = $2 OR provider <> ALL($4))`,
        [id, provider, subject, texts(kept)],
      )
      await transaction.run("DELETE FROM passkeys WHERE user_id = $1", [id])
      await setPassword(transaction, id, null)
      return true
    })
  }

  async change(id: string, change: UserChange): Promise<UserChangeOutcome> {
    try {
      return await this.#client.transaction((transaction) => applyChange(transaction, id, change))
    } catch (error) {
      if (isViolationOf(error, "users_email_key")) return "email_taken"
      throw error
    }
  }

  remove(id: string): Promise<boolean> {
    return this.#client.transaction((transaction) => remove(transaction, id))
  }

  setPassword(id: string, hash: string, replaced?: string): Promise<boolean> {
    return this.#client.transaction((transaction) => setPassword(transaction, id, hash, replaced))
  }

  async seen(id: string, at: number): Promise<void> {
    await this.#client.run("UPDATE users SET last_seen_at = $2 WHERE id = $1", [id, BigInt(at)])
  }

  async #find(where: string, values: readonly Value[]): Promise<UserRecord | null> {
    const row = await this.#client.row<UserRow>(`${SELECT} WHERE ${where}`, values)
    return row && userFromRow(row)
  }
}

async function create(
  transaction: Statements,
  user: UserInput,
): Promise<"created" | "email_taken" | "operator_exists"> {
  if (user.isFirst) {
    await lockOperators(transaction)
    if (await hasOperator(transaction)) return "operator_exists"
  }
  await transaction.run(
    `INSERT INTO users (id, name, email, password_hash, is_operator, is_disabled, created_at)
     VALUES ($1, $2, $3, $4, $5, false, $6)`,
    [user.id, user.name, user.email, user.passwordHash, user.isFirst, BigInt(user.createdAt)],
  )
  if (user.identity) await link(transaction, user.id, user.identity, user.createdAt)
  return "created"
}

async function applyChange(
  transaction: Statements,
  id: string,
  change: UserChange,
): Promise<UserChangeOutcome> {
  await lockOperators(transaction)
  const row = await transaction.row<UserRow>(`${SELECT} WHERE id = $1 FOR UPDATE`, [id])
  if (row === null) return "not_found"
  const isOperator = change.isOperator ?? row.is_operator
  const isDisabled = change.isDisabled ?? row.is_disabled
  const wasOne = row.is_operator && !row.is_disabled
  if (wasOne && !(isOperator && !isDisabled) && !(await hasOperator(transaction, id))) {
    return "last_operator"
  }
  await transaction.run(
    "UPDATE users SET name = $2, email = $3, is_operator = $4, is_disabled = $5 WHERE id = $1",
    [id, change.name ?? row.name, change.email ?? row.email, isOperator, isDisabled],
  )
  if (isDisabled) await transaction.run("DELETE FROM sessions WHERE user_id = $1", [id])
  return "changed"
}

async function remove(transaction: Statements, id: string): Promise<boolean> {
  await lockOperators(transaction)
  const row = await transaction.row<UserRow>(`${SELECT} WHERE id = $1 FOR UPDATE`, [id])
  if (row === null) return true
  const isOne = row.is_operator && !row.is_disabled
  if (isOne && !(await hasOperator(transaction, id))) return false
  await transaction.run("DELETE FROM users WHERE id = $1", [id])
  return true
}

async function setPassword(
  transaction: Statements,
  id: string,
  hash: string | null,
  replaced?: string,
): Promise<boolean> {
  const row = await transaction.row(
    `UPDATE users SET password_hash = $2
     WHERE id = $1 AND ($3::text IS NULL OR password_hash = $3) RETURNING 1`,
    [id, hash, replaced ?? null],
  )
  if (row === null) return false
  await transaction.run("DELETE FROM sessions WHERE user_id = $1", [id])
  await transaction.run("DELETE FROM proofs WHERE user_id = $1", [id])
  return true
}

/** @returns false if the identity already has a user. */
async function link(
  statements: Statements,
  id: string,
  { provider, subject }: Identity,
  at: number,
): Promise<boolean> {
  const row = await statements.row(
    `INSERT INTO identities (provider, subject, user_id, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider, subject) DO NOTHING RETURNING 1`,
    [provider, subject, id, BigInt(at)],
  )
  return row !== null
}

/** Whether there is an operator who can sign in. @param besides who does not count. */
async function hasOperator(statements: Statements, besides = ""): Promise<boolean> {
  const row = await statements.row(
    "SELECT 1 FROM users WHERE is_operator AND NOT is_disabled AND id <> $1 LIMIT 1",
    [besides],
  )
  return row !== null
}

async function lockOperators(transaction: Statements): Promise<void> {
  await transaction.run("SELECT pg_advisory_xact_lock($1)", [OPERATORS_LOCK])
}

function userFromRow(row: UserRow): UserRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    isOperator: row.is_operator,
    isDisabled: row.is_disabled,
    hasTwoFactor: row.has_two_factor,
    hasPassword: row.has_password,
    createdAt: Number(row.created_at),
    lastSeenAt: row.last_seen_at === null ? null : Number(row.last_seen_at),
  }
}
