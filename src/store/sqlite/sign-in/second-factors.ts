import type { Database } from "bun:sqlite"
import type {
  FailureLock,
  SecondFactor,
  SecondFactorReads,
  SecondFactorWrites,
} from "../../second-factors.ts"

interface FactorRow {
  secret: string
  backup_codes: string
  is_active: number
  locked_until: number | null
}

/** The second factors of users. */
export class SqliteSecondFactors implements SecondFactorReads, SecondFactorWrites {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(user: string): Promise<SecondFactor | null> {
    const row = this.#database
      .query<FactorRow, [string]>(
        "SELECT secret, backup_codes, is_active, locked_until FROM second_factors WHERE user = ?",
      )
      .get(user)
    if (row === null) return null
    const { secret, backup_codes: backupCodes, is_active, locked_until: lockedUntil } = row
    return { secret, backupCodes, isActive: is_active === 1, lockedUntil }
  }

  async begin(user: string, secret: string, backupCodes: string): Promise<boolean> {
    return this.#changes(
      `INSERT INTO second_factors (user, secret, backup_codes, is_active, failures) VALUES (?, ?, ?, 0, 0)
       ON CONFLICT (user) DO UPDATE SET secret = excluded.secret, backup_codes = excluded.backup_codes,
         last_step = NULL WHERE is_active = 0`,
      [user, secret, backupCodes],
    )
  }

  async useStep(user: string, step: number, latest: number): Promise<boolean> {
    return this.#changes(
      `UPDATE second_factors SET last_step = ?2, is_active = 1, failures = 0, locked_until = NULL
       WHERE user = ?1 AND (last_step IS NULL OR last_step < ?2 OR last_step > ?3)`,
      [user, step, latest],
    )
  }

  async replaceBackupCodes(user: string, from: string, to: string): Promise<boolean> {
    return this.#changes(
      "UPDATE second_factors SET backup_codes = ? WHERE user = ? AND backup_codes = ?",
      [to, user, from],
    )
  }

  async fail(user: string, now: number, { max, duration }: FailureLock): Promise<void> {
    // An expired lock resets the failures that led to it.
    this.#database.run(
      `UPDATE second_factors SET
         failures = CASE WHEN locked_until IS NULL THEN failures + 1 ELSE 1 END,
         locked_until = CASE WHEN locked_until IS NULL AND failures + 1 >= ?3 THEN ?2 ELSE NULL END
       WHERE user = ?1`,
      [user, now + duration, max],
    )
  }

  async succeed(user: string): Promise<void> {
    this.#database.run(
      "UPDATE second_factors SET failures = 0, locked_until = NULL WHERE user = ?",
      [user],
    )
  }

  async remove(user: string): Promise<void> {
    const remove = this.#database.transaction(() => {
      this.#database.run("DELETE FROM second_factors WHERE user = ?", [user])
      this.#database.run("DELETE FROM proofs WHERE user = ? AND kind = 'trusted-browser'", [user])
    })
    remove.immediate()
  }

  #changes(statement: string, values: (string | number)[]): boolean {
    return this.#database.run(statement, values).changes > 0
  }
}
