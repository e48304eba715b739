import { type Database, SQLiteError } from "bun:sqlite"

/** Maximum wait for other processes. */
const PATIENCE = 10_000
const PAUSE = 10

/**
 * Enables the write-ahead log. SQLite does not wait for every lock here, and processes that start together compete for
 * it. If SQLite does wait, an attempt takes as long as its busy timeout.
 * @param patience milliseconds.
 * @throws SQLiteError if another process still has the file locked after that.
 */
export function useWriteAheadLog(database: Database, patience = PATIENCE): void {
  const until = performance.now() + patience
  for (;;) {
    try {
      database.run("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
      Bun.sleepSync(PAUSE)
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
}
