import type { Database, Statement } from "bun:sqlite"
import { GatewayError } from "../canon/errors.ts"
import type { SessionRecord, UserFilter, UserRecord } from "./user-records.ts"

interface UserRow {
  id: string
  name: string
  email: string
  isOperator: number
  isDisabled: number
  twoFactorEnabled: number | null
  hasPassword: number
  createdAt: string
  lastSeenAt: string | null
}

interface SessionRow {
  id: string
  createdAt: string
  expiresAt: string
  ipAddress: string | null
  userAgent: string | null
}

const SELECT_USER = `SELECT id, name, email, isOperator, isDisabled, twoFactorEnabled, createdAt, lastSeenAt,
  EXISTS (SELECT 1 FROM account WHERE userId = user.id AND password IS NOT NULL) AS hasPassword FROM user`
const ANOTHER_OPERATOR =
  "EXISTS (SELECT 1 FROM user AS other WHERE other.isOperator = 1 AND other.isDisabled = 0 AND other.id <> user.id)"

function userFromRow(row: UserRow): UserRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    isOperator: row.isOperator === 1,
    isDisabled: row.isDisabled === 1,
    hasTwoFactor: row.twoFactorEnabled === 1,
    hasPassword: row.hasPassword === 1,
    createdAt: Date.parse(row.createdAt),
    lastSeenAt: row.lastSeenAt === null ? null : Date.parse(row.lastSeenAt),
  }
}

/** Dates as better-auth writes them. */
function dateText(time: number): string {
  return new Date(time).toISOString()
}

/** A user with what they sign in with. */
export interface UserInput {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly passwordHash: string
  /** Makes them the operator, if there is none yet. */
  readonly isFirst: boolean
}

/** Users and their sessions, as far as better-auth is not needed for them. */
export class UserTable {
  readonly #database: Database
  readonly #find: Statement<UserRow, [string]>
  readonly #findByEmail: Statement<UserRow, [string]>
  readonly #hasOperator: Statement<unknown, []>
  readonly #seen: Statement<unknown, [string, string]>
  readonly #sessionOf: Statement<{ id: string; userId: string }, [string, string]>

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare(`${SELECT_USER} WHERE id = ?`)
    this.#findByEmail = database.prepare(`${SELECT_USER} WHERE email = ?`)
    this.#hasOperator = database.prepare(
      "SELECT 1 FROM user WHERE isOperator = 1 AND isDisabled = 0 LIMIT 1",
    )
    this.#sessionOf = database.prepare(
      "SELECT id, userId FROM session WHERE token = ? AND expiresAt > ?",
    )
    this.#seen = database.prepare("UPDATE user SET lastSeenAt = ? WHERE id = ?")
  }

  hasOperator(): boolean {
    return this.#hasOperator.get() !== null
  }

  find(id: string): UserRecord | null {
    const row = this.#find.get(id)
    return row ? userFromRow(row) : null
  }

  /** @param email in lowercase. */
  findByEmail(email: string): UserRecord | null {
    const row = this.#findByEmail.get(email)
    return row ? userFromRow(row) : null
  }

  /** The oldest first. */
  list({ search, after, limit }: UserFilter): UserRecord[] {
    const rows = this.#database
      .query<UserRow, [string | null, string, string, number]>(
        `${SELECT_USER} WHERE (?1 IS NULL OR instr(lower(name), ?1) > 0 OR instr(email, ?1) > 0)
           AND (createdAt, id) > (?2, ?3) ORDER BY createdAt, id LIMIT ?4`,
      )
      .all(
        search?.toLowerCase() ?? null,
        after ? dateText(after.createdAt) : "",
        after?.id ?? "",
        limit,
      )
    return rows.map(userFromRow)
  }

  /** Those of the ids that exist. */
  many(ids: readonly string[]): Map<string, UserRecord> {
    const rows = this.#database
      .query<UserRow, [string]>(`${SELECT_USER} WHERE id IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(ids))
    return new Map(rows.map((row) => [row.id, userFromRow(row)]))
  }

  /** @throws GatewayError `conflict` when the address is taken, or the first user is not the first. */
  create(input: UserInput, now: number): UserRecord {
    const create = this.#database.transaction(() => {
      if (input.isFirst && this.hasOperator()) throw hasOperatorAlready()
      if (this.findByEmail(input.email)) throw isRegisteredAlready(input.email)
      const at = dateText(now)
      this.#database.run(
        `INSERT INTO user (id, name, email, emailVerified, createdAt, updatedAt, twoFactorEnabled, isOperator, isDisabled)
         VALUES (?, ?, ?, 1, ?, ?, 0, ?, 0)`,
        [input.id, input.name, input.email, at, at, input.isFirst ? 1 : 0],
      )
      this.#database.run(
        `INSERT INTO account (id, accountId, providerId, userId, password, createdAt, updatedAt)
         VALUES (?, ?, 'credential', ?, ?, ?, ?)`,
        [`${input.id}_password`, input.id, input.id, input.passwordHash, at, at],
      )
    })
    create.immediate()
    return this.require(input.id)
  }

  /** @throws GatewayError `not_found`. */
  require(id: string): UserRecord {
    const user = this.find(id)
    if (user) return user
    throw new GatewayError("not_found", `There is no user '${id.slice(0, 100)}'.`)
  }

  /** @throws GatewayError `not_found`; `conflict` for the last operator who can sign in. */
  change(id: string, change: { isOperator?: boolean; isDisabled?: boolean }): UserRecord {
    const apply = this.#database.transaction(() => {
      const user = this.require(id)
      const isOperator = change.isOperator ?? user.isOperator
      const isDisabled = change.isDisabled ?? user.isDisabled
      const staysOne = isOperator && !isDisabled
      const { changes } = this.#database.run(
        `UPDATE user SET isOperator = ?, isDisabled = ? WHERE id = ?
           AND (? OR isOperator = 0 OR isDisabled = 1 OR ${ANOTHER_OPERATOR})`,
        [isOperator ? 1 : 0, isDisabled ? 1 : 0, id, staysOne ? 1 : 0],
      )
      if (changes === 0) throw isLastOperator()
      if (isDisabled) this.endSessions(id)
    })
    apply.immediate()
    return this.require(id)
  }

  /** Takes the second factor away, for someone who has lost it. */
  removeTwoFactor(id: string): void {
    const remove = this.#database.transaction(() => {
      this.#database.run("UPDATE user SET twoFactorEnabled = 0 WHERE id = ?", [id])
      this.#database.run("DELETE FROM twoFactor WHERE userId = ?", [id])
    })
    remove.immediate()
  }

  seen(id: string, at: number): void {
    this.#seen.run(dateText(at), id)
  }

  /** The session that a token opens; null when it is over. */
  sessionOf(token: string, now: number): { readonly id: string; readonly userId: string } | null {
    return this.#sessionOf.get(token, dateText(now))
  }

  /** Open ones, the newest first. */
  sessions(userId: string, now: number): SessionRecord[] {
    const rows = this.#database
      .query<SessionRow, [string, string]>(
        `SELECT id, createdAt, expiresAt, ipAddress, userAgent FROM session
         WHERE userId = ? AND expiresAt > ? ORDER BY createdAt DESC, id LIMIT 200`,
      )
      .all(userId, dateText(now))
    return rows.map((row) => ({
      id: row.id,
      createdAt: Date.parse(row.createdAt),
      expiresAt: Date.parse(row.expiresAt),
      address: row.ipAddress || null,
      agent: row.userAgent || null,
    }))
  }

  /** @returns whether there was such a session of theirs. */
  endSession(userId: string, id: string): boolean {
    const statement = "DELETE FROM session WHERE userId = ? AND id = ?"
    return this.#database.run(statement, [userId, id]).changes > 0
  }

  endSessions(userId: string): void {
    this.#database.run("DELETE FROM session WHERE userId = ?", [userId])
  }

  /** Ends links that set a password, sign-ins that wait for a code, and browsers that are asked for none. */
  endProofs(userId: string): void {
    this.#database.run("DELETE FROM verification WHERE value = ?", [userId])
  }

  /** Removes what no one can use any more. */
  sweep(now: number): void {
    this.#database.run("DELETE FROM session WHERE expiresAt <= ?", [dateText(now)])
    this.#database.run("DELETE FROM verification WHERE expiresAt <= ?", [dateText(now)])
  }
}

function hasOperatorAlready(): GatewayError {
  return new GatewayError(
    "conflict",
    "This gateway has an operator already. Sign in, or ask them for an invitation.",
  )
}

function isRegisteredAlready(email: string): GatewayError {
  return new GatewayError("conflict", `Somebody is registered with ${email} already: sign in.`, {
    parameter: "email",
  })
}

function isLastOperator(): GatewayError {
  return new GatewayError(
    "conflict",
    "This is the last operator who can sign in. Make somebody else an operator first.",
  )
}
