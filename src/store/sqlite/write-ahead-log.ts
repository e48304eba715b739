import { type Database, SQLiteError } from "bun:sqlite"

/** Maximum time that enabling the log waits for other processes. */
const MAX_WAIT_MS = 10_000
const RETRY_PAUSE_MS = 10

/**
 * Enables the write-ahead log. Meanwhile, SQLite does not wait for every lock, and processes that start together
 * compete for the locks. If SQLite does wait, an attempt takes as long as its busy timeout.
 * @throws SQLiteError if another process still has the file locked afterwards.
 */
export function useWriteAheadLog(database: Database, maxWaitMs = MAX_WAIT_MS): void {
  const until = performance.now() + maxWaitMs
  for (;;) {
    try {
      database.run("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
      Bun.sleepSync(RETRY_PAUSE_MS)
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
}
