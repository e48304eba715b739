import type {
  FoundSession,
  NewSession,
  SessionReads,
  SessionRecord,
  SessionWrites,
} from "../../sessions.ts"
import type { PostgresClient } from "../client.ts"

interface FoundRow {
  readonly id: string
  readonly user_id: string
  readonly expires_at: bigint
  readonly is_remembered: boolean
}

interface SessionRow {
  readonly id: string
  readonly created_at: bigint
  readonly expires_at: bigint
  readonly address: string | null
  readonly agent: string | null
}

/** The open sessions of the console. */
export class PostgresSessions implements SessionReads, SessionWrites {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async find(tokenHash: string, now: number): Promise<FoundSession | null> {
    const row = await this.#client.row<FoundRow>(
      "SELECT id, user_id, expires_at, is_remembered FROM sessions WHERE token_hash = $1 AND expires_at > $2",
      [tokenHash, BigInt(now)],
    )
    if (row === null) return null
    return {
      id: row.id,
      user: row.user_id,
      expiresAt: Number(row.expires_at),
      isRemembered: row.is_remembered,
    }
  }

  async list(user: string, now: number): Promise<SessionRecord[]> {
    const rows = await this.#client.rows<SessionRow>(
      `SELECT id, created_at, expires_at, address, agent FROM sessions
       WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id LIMIT 200`,
      [user, BigInt(now)],
    )
    return rows.map(({ created_at: createdAt, expires_at: expiresAt, ...row }) => ({
      ...row,
      createdAt: Number(createdAt),
      expiresAt: Number(expiresAt),
    }))
  }

  create(session: NewSession, replaced: string | null): Promise<boolean> {
    return this.#client.transaction(async (transaction) => {
      if (replaced !== null) {
        await transaction.run("DELETE FROM sessions WHERE id = $1", [replaced])
      }
      // Who changes the password or disables the user waits, and ends this session too.
      const user = await transaction.row(
        `SELECT id FROM users WHERE id = $1 AND NOT is_disabled
           AND ($2::text IS NULL OR password_hash = $2) FOR SHARE`,
        [session.user, session.passwordHash],
      )
      if (!user) return false
      await transaction.run(
        `INSERT INTO sessions (id, token_hash, user_id, is_remembered, created_at, expires_at, address, agent)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          session.id,
          session.tokenHash,
          session.user,
          session.isRemembered,
          BigInt(session.createdAt),
          BigInt(session.expiresAt),
          session.address,
          session.agent,
        ],
      )
      return true
    })
  }

  async renew(id: string, expiresAt: number): Promise<void> {
    await this.#client.run("UPDATE sessions SET expires_at = $2 WHERE id = $1", [
      id,
      BigInt(expiresAt),
    ])
  }

  async end(user: string, id: string): Promise<boolean> {
    const changes = await this.#client.transaction((transaction) =>
      transaction.run("DELETE FROM sessions WHERE user_id = $1 AND id = $2", [user, id]),
    )
    return changes > 0
  }
}
