import type { CountedAttempt, SignInAttempts } from "../../sign-in-attempts.ts"
import { texts } from "../arrays.ts"
import type { PostgresClient } from "../client.ts"

/** Attempts to sign in, of all nodes together. */
export class PostgresSignInAttempts implements SignInAttempts {
  readonly #client: PostgresClient

  constructor(client: PostgresClient) {
    this.#client = client
  }

  count(attempts: readonly CountedAttempt[], now: number): Promise<number> {
    return this.#client.transaction(async (transaction) => {
      for (const { key, max, window } of attempts) {
        // A start more than a window in the future dates from before the clock was set back.
        const found = await transaction.row<{ count: bigint; begun_at: bigint }>(
          `INSERT INTO attempts AS a (key, count, begun_at) VALUES ($1, 1, $2) ON CONFLICT (key) DO UPDATE SET
             count = CASE WHEN abs(excluded.begun_at - a.begun_at) >= $3 THEN 1 ELSE a.count + 1 END,
             begun_at = CASE WHEN abs(excluded.begun_at - a.begun_at) >= $3 THEN excluded.begun_at ELSE a.begun_at END
           RETURNING count, begun_at`,
          [key, BigInt(now), BigInt(window)],
        )
        if (found && Number(found.count) > max) return Number(found.begun_at) + window - now
      }
      return 0
    })
  }

  async takeBack(keys: readonly string[]): Promise<void> {
    await this.#client.transaction((transaction) =>
      transaction.run("UPDATE attempts SET count = greatest(0, count - 1) WHERE key = ANY($1)", [
        texts(keys),
      ]),
    )
  }
}
