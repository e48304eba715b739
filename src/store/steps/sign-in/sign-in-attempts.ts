import type { ConsoleStore } from "../../console-store.ts"
import type { CountedAttempt } from "../../sign-in-attempts.ts"
import { larger, oneOf, sql } from "../sql.ts"
import { row, run, type Step, type StepMethods, transaction } from "../step.ts"

export const signInAttemptSteps: StepMethods<ConsoleStore["attempts"]> = {
  count: transaction(count),
  takeBack: transaction(takeBack),
}

/**
 * Counts attempts. If a window starts in the future by more than its length, the clock was set back in the meantime.
 */
function* count(attempts: readonly CountedAttempt[], now: number): Step<number> {
  for (const { key, max, window } of attempts) {
    const isOver = sql`abs(excluded.begun_at - attempts.begun_at) >= ${window}`
    const found = yield* row<{ count: bigint; begun_at: bigint }>(
      sql`INSERT INTO attempts (key, count, begun_at) VALUES (${key}, 1, ${now}) ON CONFLICT (key) DO UPDATE SET
          count = CASE WHEN ${isOver} THEN 1 ELSE attempts.count + 1 END,
          begun_at = CASE WHEN ${isOver} THEN excluded.begun_at ELSE attempts.begun_at END
        RETURNING count, begun_at`,
    )
    if (found && Number(found.count) > max) return Number(found.begun_at) + window - now
  }
  return 0
}

function* takeBack(keys: readonly string[]): Step<void> {
  yield* run(
    sql`UPDATE attempts SET count = ${larger(sql`0`, sql`count - 1`)} WHERE key ${oneOf(keys)}`,
  )
}
