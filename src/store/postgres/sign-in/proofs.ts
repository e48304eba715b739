import type { Proof, ProofKind, ProofReads, ProofWrites } from "../../proofs.ts"
import type { PostgresClient } from "../client.ts"

interface ProofRow {
  readonly user_id: string | null
  readonly value: string
  readonly expires_at: bigint
}

/** Short-lived credentials of browsers and links. */
export class PostgresProofs implements ProofReads, ProofWrites {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async find(kind: ProofKind, hash: string, now: number): Promise<Proof | null> {
    const row = await this.#client.row<ProofRow>(
      "SELECT user_id, value, expires_at FROM proofs WHERE hash = $1 AND kind = $2 AND expires_at > $3",
      [hash, kind, BigInt(now)],
    )
    return proofOf(kind, hash, row)
  }

  async create({ kind, hash, user, value, expiresAt }: Proof): Promise<void> {
    await this.#client.run(
      `INSERT INTO proofs (hash, kind, user_id, value, attempts, expires_at) VALUES ($1, $2, $3, $4, 0, $5)
       ON CONFLICT (hash) DO NOTHING`,
      [hash, kind, user, value, BigInt(expiresAt)],
    )
  }

  /** In a transaction: repeated on its own after a lost connection, it would find what it has taken gone. */
  async take(kind: ProofKind, hash: string, now: number): Promise<Proof | null> {
    const row = await this.#client.transaction((transaction) =>
      transaction.row<ProofRow>(
        "DELETE FROM proofs WHERE hash = $1 AND kind = $2 AND expires_at > $3 RETURNING user_id, value, expires_at",
        [hash, kind, BigInt(now)],
      ),
    )
    return proofOf(kind, hash, row)
  }

  countAttempt(kind: ProofKind, hash: string, max: number): Promise<boolean> {
    return this.#client.transaction(async (transaction) => {
      const changes = await transaction.run(
        "UPDATE proofs SET attempts = attempts + 1 WHERE hash = $1 AND kind = $2 AND attempts < $3",
        [hash, kind, BigInt(max)],
      )
      if (changes > 0) return true
      await transaction.run("DELETE FROM proofs WHERE hash = $1 AND kind = $2", [hash, kind])
      return false
    })
  }

  async endAll(user: string): Promise<void> {
    await this.#client.run("DELETE FROM proofs WHERE user_id = $1", [user])
  }
}

function proofOf(kind: ProofKind, hash: string, row: ProofRow | null): Proof | null {
  if (row === null) return null
  return { kind, hash, user: row.user_id, value: row.value, expiresAt: Number(row.expires_at) }
}
