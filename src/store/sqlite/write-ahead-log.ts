import { type Database, SQLiteError } from "bun:sqlite"

/** How long to wait for other processes, milliseconds. */
const PATIENCE = 10_000
const PAUSE = 10

/** SQLite waits for no lock here, and processes that start together all want to be the first. */
export function useWriteAheadLog(database: Database): void {
  for (let patience = PATIENCE; ; patience -= PAUSE) {
    try {
      database.run("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (!isBusy(error) || patience <= 0) throw error
      Bun.sleepSync(PAUSE)
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
}
