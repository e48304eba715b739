import { type Database, SQLiteError } from "bun:sqlite"

/** How long to wait for other processes, milliseconds. */
const PATIENCE = 10_000
const PAUSE = 10

/**
 * SQLite does not wait for every lock here, and processes that start together all want to be the first. Where it does
 * wait, an attempt takes as long as its busy timeout.
 * @param patience milliseconds.
 * @throws SQLiteError where another still has the file to itself after that.
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
