import type { Database, Statement } from "bun:sqlite"
import type { CountedAttempt, SignInAttempts } from "../../sign-in-attempts.ts"

/** Attempts to sign in. */
export class SqliteSignInAttempts implements SignInAttempts {
  readonly #database: Database
  readonly #count: Statement<{ count: number; begun_at: number }, [string, number, number]>
  readonly #takeBack: Statement<unknown, [string]>

  constructor(database: Database) {
    this.#database = database
    // A start more than a window in the future dates from before the clock was set back.
    this.#count = database.prepare(
      `INSERT INTO attempts VALUES (?1, 1, ?2) ON CONFLICT (key) DO UPDATE SET
         count = CASE WHEN abs(?2 - begun_at) >= ?3 THEN 1 ELSE count + 1 END,
         begun_at = CASE WHEN abs(?2 - begun_at) >= ?3 THEN ?2 ELSE begun_at END
       RETURNING count, begun_at`,
    )
    this.#takeBack = database.prepare("UPDATE attempts SET count = max(0, count - 1) WHERE key = ?")
  }

  async count(attempts: readonly CountedAttempt[], now: number): Promise<number> {
    const counting = this.#database.transaction(() => {
      for (const { key, max, window } of attempts) {
        const found = this.#count.get(key, now, window)
        if (found !== null && found.count > max) return found.begun_at + window - now
      }
      return 0
    })
    return counting.immediate()
  }

  async takeBack(keys: readonly string[]): Promise<void> {
    const takeBack = this.#database.transaction(() => {
      for (const key of keys) this.#takeBack.run(key)
    })
    takeBack.immediate()
  }
}
