import type {
  FailureLock,
  SecondFactor,
  SecondFactorReads,
  SecondFactorWrites,
} from "../../second-factors.ts"
import type { PostgresClient } from "../client.ts"
import type { Value } from "../connection-pool.ts"

interface FactorRow {
  readonly secret: string
  readonly backup_codes: string
  readonly is_active: boolean
  readonly locked_until: bigint | null
}

/** The second factors of users. */
export class PostgresSecondFactors implements SecondFactorReads, SecondFactorWrites {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  async find(user: string): Promise<SecondFactor | null> {
    const row = await this.#client.row<FactorRow>(
      "SELECT secret, backup_codes, is_active, locked_until FROM second_factors WHERE user_id = $1",
      [user],
    )
    if (row === null) return null
    return {
      secret: row.secret,
      backupCodes: row.backup_codes,
      isActive: row.is_active,
      lockedUntil: row.locked_until === null ? null : Number(row.locked_until),
    }
  }

  begin(user: string, secret: string, backupCodes: string): Promise<boolean> {
    return this.#changes(
      `INSERT INTO second_factors AS f (user_id, secret, backup_codes, is_active, failures) VALUES ($1, $2, $3, false, 0)
       ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, backup_codes = excluded.backup_codes,
         last_step = NULL WHERE NOT f.is_active`,
      [user, secret, backupCodes],
    )
  }

  useStep(user: string, step: number, latest: number): Promise<boolean> {
    return this.#changes(
      `UPDATE second_factors SET last_step = $2, is_active = true, failures = 0, locked_until = NULL
       WHERE user_id = $1 AND (last_step IS NULL OR last_step < $2 OR last_step > $3)`,
      [user, BigInt(step), BigInt(latest)],
    )
  }

  replaceBackupCodes(user: string, from: string, to: string): Promise<boolean> {
    return this.#changes(
      "UPDATE second_factors SET backup_codes = $3 WHERE user_id = $1 AND backup_codes = $2",
      [user, from, to],
    )
  }

  async fail(user: string, now: number, { max, duration }: FailureLock): Promise<void> {
    // An expired lock resets the failures that led to it.
    await this.#changes(
      `UPDATE second_factors SET
         failures = CASE WHEN locked_until IS NULL THEN failures + 1 ELSE 1 END,
         locked_until = CASE WHEN locked_until IS NULL AND failures + 1 >= $3 THEN $2::bigint ELSE NULL END
       WHERE user_id = $1`,
      [user, BigInt(now + duration), BigInt(max)],
    )
  }

  async succeed(user: string): Promise<void> {
    await this.#changes(
      "UPDATE second_factors SET failures = 0, locked_until = NULL WHERE user_id = $1",
      [user],
    )
  }

  async remove(user: string): Promise<void> {
    await this.#client.transaction(async (transaction) => {
      await transaction.run("DELETE FROM second_factors WHERE user_id = $1", [user])
      await transaction.run("DELETE FROM proofs WHERE user_id = $1 AND kind = 'trusted-browser'", [
        user,
      ])
    })
  }

  /** In a transaction: on its own it would be repeated after a lost connection, and say that it changed nothing. */
  async #changes(text: string, values: readonly Value[]): Promise<boolean> {
    return (await this.#client.transaction((transaction) => transaction.run(text, values))) > 0
  }
}
