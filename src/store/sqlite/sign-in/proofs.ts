import type { Database } from "bun:sqlite"
import type { Proof, ProofKind, ProofReads, ProofWrites } from "../../proofs.ts"

interface ProofRow {
  user: string | null
  value: string
  expires_at: number
}

/** Short-lived credentials of browsers and links. */
export class SqliteProofs implements ProofReads, ProofWrites {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(kind: ProofKind, hash: string, now: number): Promise<Proof | null> {
    const found = "SELECT user, value, expires_at FROM proofs WHERE hash = ? AND kind = ?"
    return this.#proof(`${found} AND expires_at > ?`, kind, hash, now)
  }

  async create({ kind, hash, user, value, expiresAt }: Proof): Promise<void> {
    this.#database.run(
      "INSERT INTO proofs (hash, kind, user, value, attempts, expires_at) VALUES (?, ?, ?, ?, 0, ?)",
      [hash, kind, user, value, expiresAt],
    )
  }

  async take(kind: ProofKind, hash: string, now: number): Promise<Proof | null> {
    const taken = "DELETE FROM proofs WHERE hash = ? AND kind = ? AND expires_at > ?"
    return this.#proof(`${taken} RETURNING user, value, expires_at`, kind, hash, now)
  }

  async countAttempt(kind: ProofKind, hash: string, max: number): Promise<boolean> {
    const count = this.#database.transaction(() => {
      const { changes } = this.#database.run(
        "UPDATE proofs SET attempts = attempts + 1 WHERE hash = ? AND kind = ? AND attempts < ?",
        [hash, kind, max],
      )
      if (changes === 0) {
        this.#database.run("DELETE FROM proofs WHERE hash = ? AND kind = ?", [hash, kind])
      }
      return changes > 0
    })
    return count.immediate()
  }

  async endAll(user: string): Promise<void> {
    this.#database.run("DELETE FROM proofs WHERE user = ?", [user])
  }

  #proof(statement: string, kind: ProofKind, hash: string, now: number): Proof | null {
    const row = this.#database
      .query<ProofRow, [string, string, number]>(statement)
      .get(hash, kind, now)
    if (row === null) return null
    return { kind, hash, user: row.user, value: row.value, expiresAt: row.expires_at }
  }
}
