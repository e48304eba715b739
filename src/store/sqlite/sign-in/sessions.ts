import type { Database, Statement } from "bun:sqlite"
import type {
  FoundSession,
  NewSession,
  SessionReads,
  SessionRecord,
  SessionWrites,
} from "../../sessions.ts"

interface FoundRow {
  id: string
  user: string
  expires_at: number
  is_remembered: number
}

interface SessionRow {
  id: string
  created_at: number
  expires_at: number
  address: string | null
  agent: string | null
}

/** The open sessions of the console. */
export class SqliteSessions implements SessionReads, SessionWrites {
  readonly #database: Database
  readonly #find: Statement<FoundRow, [string, number]>

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare(
      "SELECT id, user, expires_at, is_remembered FROM sessions WHERE token_hash = ? AND expires_at > ?",
    )
  }

  async find(tokenHash: string, now: number): Promise<FoundSession | null> {
    const row = this.#find.get(tokenHash, now)
    if (row === null) return null
    const { id, user, expires_at: expiresAt, is_remembered } = row
    return { id, user, expiresAt, isRemembered: is_remembered === 1 }
  }

  async list(user: string, now: number): Promise<SessionRecord[]> {
    const rows = this.#database
      .query<SessionRow, [string, number]>(
        `SELECT id, created_at, expires_at, address, agent FROM sessions
         WHERE user = ? AND expires_at > ? ORDER BY created_at DESC, id LIMIT 200`,
      )
      .all(user, now)
    return rows.map(({ created_at: createdAt, expires_at: expiresAt, ...row }) => ({
      ...row,
      createdAt,
      expiresAt,
    }))
  }

  async create(session: NewSession, replaced: string | null): Promise<boolean> {
    const { id, user, tokenHash, createdAt, expiresAt, address, agent } = session
    const create = this.#database.transaction(() => {
      if (replaced !== null) this.#database.run("DELETE FROM sessions WHERE id = ?", [replaced])
      const { changes } = this.#database.run(
        `INSERT INTO sessions (id, token_hash, user, is_remembered, created_at, expires_at, address, agent)
         SELECT ?1, ?2, id, ?3, ?4, ?5, ?6, ?7 FROM users
         WHERE id = ?8 AND is_disabled = 0 AND (?9 IS NULL OR password_hash = ?9)`,
        [
          id,
          tokenHash,
          session.isRemembered ? 1 : 0,
          createdAt,
          expiresAt,
          address,
          agent,
          user,
          session.passwordHash,
        ],
      )
      return changes > 0
    })
    return create.immediate()
  }

  async renew(id: string, expiresAt: number): Promise<void> {
    this.#database.run("UPDATE sessions SET expires_at = ? WHERE id = ?", [expiresAt, id])
  }

  async end(user: string, id: string): Promise<boolean> {
    const statement = "DELETE FROM sessions WHERE user = ? AND id = ?"
    return this.#database.run(statement, [user, id]).changes > 0
  }
}
