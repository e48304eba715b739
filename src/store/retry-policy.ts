/**
 * Retries of settlements while the database fails, in three layers. Each layer repeats failed attempts of the layer
 * below: `STATEMENT_RETRIES`, then `FILE_RETRIES` or `databaseRetries` while a caller waits, or `JOURNAL_RETRIES`
 * afterwards. So a caller waits at most `maxWaitMs` of the middle layer, plus the end of an attempt that is not
 * abandoned.
 */
export interface RetryPolicy {
  readonly firstPauseMs: number
  /** Pauses double up to this maximum. */
  readonly maxPauseMs: number
  /** Maximum total time of all attempts and pauses. */
  readonly maxWaitMs: number
  /** Whether an attempt that takes longer than `maxWaitMs` is abandoned. Then its result is unknown. */
  readonly abandonsAttempts: boolean
  /** Minimum time for an attempt when the process ends, since the database may be healthy. */
  readonly minAttemptMs: number
  /** Repeats after failures other than outages: a connection that was lost at an unknown point, an unexpected error. */
  readonly maxRepeats: number
}

/** Statements and transactions of PostgreSQL that have changed nothing, or that are idempotent. */
export const STATEMENT_RETRIES: RetryPolicy = {
  firstPauseMs: 10,
  maxPauseMs: 500,
  maxWaitMs: 8_000,
  abandonsAttempts: true,
  minAttemptMs: 500,
  maxRepeats: 3,
}

/** Batches whose callers wait for a database in a file, which may be locked or full for a moment. */
export const FILE_RETRIES: RetryPolicy = {
  firstPauseMs: 50,
  maxPauseMs: 1_000,
  maxWaitMs: 200,
  abandonsAttempts: false,
  minAttemptMs: 500,
  maxRepeats: Infinity,
}

/** Batches whose callers wait for a database on a network. @param maxWaitMs the setting `database.patience`. */
export function databaseRetries(maxWaitMs: number): RetryPolicy {
  return { ...FILE_RETRIES, maxWaitMs, abandonsAttempts: true }
}

/** Batches that are already in the journal: no caller waits, and only the end of the process stops the attempts. */
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
