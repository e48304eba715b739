/**
 * Retries of settlements while the database fails, in three layers. Each layer repeats failed attempts of the layer
 * below. The layers are `STATEMENT_RETRIES`, then `FILE_RETRIES` or `databaseRetries` while a caller waits, or
 * `JOURNAL_RETRIES` afterwards. A caller therefore waits at most `maxWaitMs` of the middle layer, plus the rest of an
 * attempt that is not abandoned.
 */
export interface RetryPolicy {
  readonly firstPauseMs: number
  /** Maximum pause. Pauses double until they reach it. */
  readonly maxPauseMs: number
  /** Maximum total time of all attempts and pauses. */
  readonly maxWaitMs: number
  /** Whether an attempt that takes longer than `maxWaitMs` is abandoned. Its result is then unknown. */
  readonly abandonsAttempts: boolean
  /** Minimum time for an attempt when the process ends, because the database may be healthy. */
  readonly minAttemptMs: number
  /**
   * Maximum repetitions after failures other than outages, such as a connection that was lost at an unknown point, or
   * an unexpected error.
   */
  readonly maxRepeats: number
}

/** For statements and transactions of PostgreSQL that have changed nothing, or that are idempotent. */
export const STATEMENT_RETRIES: RetryPolicy = {
  firstPauseMs: 10,
  maxPauseMs: 500,
  maxWaitMs: 8_000,
  abandonsAttempts: true,
  minAttemptMs: 500,
  maxRepeats: 3,
}

/** For batches whose callers wait for a database in a file, which may be locked or full for a moment. */
export const FILE_RETRIES: RetryPolicy = {
  firstPauseMs: 50,
  maxPauseMs: 1_000,
  maxWaitMs: 200,
  abandonsAttempts: false,
  minAttemptMs: 500,
  maxRepeats: Infinity,
}

/**
 * Returns the policy for batches whose callers wait for a database on a network.
 * @param maxWaitMs the setting `database.settle_timeout`.
 */
export function databaseRetries(maxWaitMs: number): RetryPolicy {
  return { ...FILE_RETRIES, maxWaitMs, abandonsAttempts: true }
}

/**
 * For batches that are already in the journal. No caller waits for them, so attempts stop only when the process ends.
 */
export const JOURNAL_RETRIES: RetryPolicy = {
  firstPauseMs: 250,
  maxPauseMs: 250,
  maxWaitMs: Infinity,
  abandonsAttempts: false,
  minAttemptMs: 0,
  maxRepeats: 4,
}

/** Returns the pause after the next failed attempt. */
export function nextPauseMs({ maxPauseMs }: RetryPolicy, pauseMs: number): number {
  return Math.min(2 * pauseMs, maxPauseMs)
}
