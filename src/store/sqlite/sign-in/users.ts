import { type Database, SQLiteError, type Statement } from "bun:sqlite"
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

interface UserRow {
  id: string
  name: string
  email: string
  is_operator: number
  is_disabled: number
  has_two_factor: number
  has_password: number
  created_at: number
  last_seen_at: number | null
}

const SELECT = `SELECT id, name, email, is_operator, is_disabled, password_hash IS NOT NULL AS has_password,
  EXISTS (SELECT 1 FROM second_factors WHERE user = users.id AND is_active = 1) AS has_two_factor,
  created_at, last_seen_at FROM users`
const ANOTHER_OPERATOR =
  "EXISTS (SELECT 1 FROM users AS other WHERE other.is_operator = 1 AND other.is_disabled = 0 AND other.id <> users.id)"

function userFromRow(row: UserRow): UserRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    isOperator: row.is_operator === 1,
    isDisabled: row.is_disabled === 1,
    hasTwoFactor: row.has_two_factor === 1,
    hasPassword: row.has_password === 1,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  }
}

/** The users of the console. */
export class SqliteUsers implements UserReads, UserWrites {
  readonly #database: Database
  readonly #find: Statement<UserRow, [string]>
  readonly #findByEmail: Statement<UserRow, [string]>
  readonly #hasOperator: Statement<unknown, []>

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare(`${SELECT} WHERE id = ?`)
    this.#findByEmail = database.prepare(`${SELECT} WHERE email = ?`)
    this.#hasOperator = database.prepare(
      "SELECT 1 FROM users WHERE is_operator = 1 AND is_disabled = 0 LIMIT 1",
    )
  }

  async hasOperator(): Promise<boolean> {
    return this.#hasOperator.get() !== null
  }

  async find(id: string): Promise<UserRecord | null> {
    const row = this.#find.get(id)
    return row && userFromRow(row)
  }

  async findByEmail(email: string): Promise<UserRecord | null> {
    const row = this.#findByEmail.get(email)
    return row && userFromRow(row)
  }

  async findByIdentity({ provider, subject }: Identity): Promise<UserRecord | null> {
    const row = this.#database
      .query<UserRow, [string, string]>(
        `${SELECT} WHERE id = (SELECT user FROM identities WHERE provider = ? AND subject = ?)`,
      )
      .get(provider, subject)
    return row && userFromRow(row)
  }

  async identities(id: string): Promise<Identity[]> {
    return this.#database
      .query<Identity, [string]>(
        "SELECT provider, subject FROM identities WHERE user = ? ORDER BY provider, subject",
      )
      .all(id)
  }

  async list({ search, after, limit }: UserFilter): Promise<UserRecord[]> {
    const rows = this.#database
      .query<UserRow, [string | null, number, string, number]>(
        `${SELECT} WHERE (?1 IS NULL OR instr(lower(name), ?1) > 0 OR instr(email, ?1) > 0)
           AND (created_at, id) > (?2, ?3) ORDER BY created_at, id LIMIT ?4`,
      )
      .all(search?.toLowerCase() ?? null, after?.createdAt ?? 0, after?.id ?? "", limit)
    return rows.map(userFromRow)
  }

  async many(ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> {
    const rows = this.#database
      .query<UserRow, [string]>(`${SELECT} WHERE id IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(ids))
    return new Map(rows.map((row) => [row.id, userFromRow(row)]))
  }

  async passwordHash(id: string): Promise<string | null> {
    const row = this.#database
      .query<{ password_hash: string | null }, [string]>(
        "SELECT password_hash FROM users WHERE id = ?",
      )
      .get(id)
    return row?.password_hash ?? null
  }

  async create(user: UserInput): Promise<"created" | "email_taken" | "operator_exists"> {
    const create = this.#database.transaction(() => {
      if (user.isFirst && this.#hasOperator.get() !== null) return "operator_exists"
      if (this.#findByEmail.get(user.email) !== null) return "email_taken"
      this.#database.run(
        `INSERT INTO users (id, name, email, password_hash, is_operator, is_disabled, created_at)
         VALUES (?, ?, ?, ?, ?, 0, ?)`,
        [user.id, user.name, user.email, user.passwordHash, user.isFirst ? 1 : 0, user.createdAt],
      )
      if (user.identity) this.#link(user.id, user.identity, user.createdAt)
      return "created"
    })
    return create.immediate()
  }

  async link(id: string, identity: Identity, at: number): Promise<void> {
    this.#link(id, identity, at)
  }

  async linkAlone(
    id: string,
    identity: Identity,
    at: number,
    kept: readonly string[],
  ): Promise<boolean> {
    const { provider, subject } = identity
    const apply = this.#database.transaction(() => {
      if ((this.#find.get(id)?.is_disabled ?? 1) === 1) return false
      if (this.#link(id, identity, at) === 0) return false
      this.#database.run(
        `DELETE FROM identities WHERE user = ? AND (provider, subject) <> (?, ?)
           AND (provider = ? OR provider NOT IN (SELECT value FROM json_each(?)))`,
        [id, provider, subject, provider, JSON.stringify(kept)],
      )
      this.#database.run("DELETE FROM passkeys WHERE user = ?", [id])
      this.#setPassword(id, null)
      return true
    })
    return apply.immediate()
  }

  async change(id: string, change: UserChange): Promise<UserChangeOutcome> {
    const apply = this.#database.transaction(() => {
      const row = this.#find.get(id)
      if (row === null) return "not_found"
      const email = change.email ?? row.email
      if ((this.#findByEmail.get(email)?.id ?? id) !== id) return "email_taken"
      const isOperator = change.isOperator ?? row.is_operator === 1
      const isDisabled = change.isDisabled ?? row.is_disabled === 1
      const staysOne = isOperator && !isDisabled
      const { changes } = this.#database.run(
        `UPDATE users SET name = ?, email = ?, is_operator = ?, is_disabled = ? WHERE id = ?
           AND (? OR is_operator = 0 OR is_disabled = 1 OR ${ANOTHER_OPERATOR})`,
        [
          change.name ?? row.name,
          email,
          isOperator ? 1 : 0,
          isDisabled ? 1 : 0,
          id,
          staysOne ? 1 : 0,
        ],
      )
      if (changes === 0) return "last_operator"
      if (isDisabled) this.#database.run("DELETE FROM sessions WHERE user = ?", [id])
      return "changed"
    })
    return apply.immediate()
  }

  async remove(id: string): Promise<boolean> {
    const { changes } = this.#database.run(
      `DELETE FROM users WHERE id = ? AND (is_operator = 0 OR is_disabled = 1 OR ${ANOTHER_OPERATOR})`,
      [id],
    )
    if (changes > 0) this.#compact()
    return changes > 0 || this.#find.get(id) === null
  }

  /** Earlier versions left what they changed in the file's free space. */
  #compact(): void {
    try {
      this.#database.run("VACUUM")
    } catch (error) {
      // Another process uses the file.
      if (!(error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY"))) throw error
    }
  }

  async setPassword(id: string, hash: string, replaced?: string): Promise<boolean> {
    return this.#database.transaction(() => this.#setPassword(id, hash, replaced)).immediate()
  }

  async seen(id: string, at: number): Promise<void> {
    this.#database.run("UPDATE users SET last_seen_at = ? WHERE id = ?", [at, id])
  }

  #setPassword(id: string, hash: string | null, replaced?: string): boolean {
    const { changes } = this.#database.run(
      "UPDATE users SET password_hash = ?1 WHERE id = ?2 AND (?3 IS NULL OR password_hash = ?3)",
      [hash, id, replaced ?? null],
    )
    if (changes === 0) return false
    this.#database.run("DELETE FROM sessions WHERE user = ?", [id])
    this.#database.run("DELETE FROM proofs WHERE user = ?", [id])
    return true
  }

  /** @returns the number of linked identities: 0 if the identity already has a user. */
  #link(id: string, { provider, subject }: Identity, at: number): number {
    const { changes } = this.#database.run(
      "INSERT INTO identities (provider, subject, user, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [provider, subject, id, at],
    )
    return changes
  }
}
