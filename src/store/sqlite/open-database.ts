import { Database, SQLiteError } from "bun:sqlite"
import { makePrivateFile } from "../private-file.ts"
import { migrate, type Schema } from "./migrate.ts"

export interface DatabaseOptions {
  readonly schema: Schema
  /** Maximum time that a statement waits for the lock of another process; 10 s if absent. */
  readonly busyTimeoutMs?: number
  /**
   * `FULL`: a commit waits for the disk. `NORMAL`: a commit survives a crash of the process, but not of the machine.
   */
  readonly synchronous: "FULL" | "NORMAL"
  /** Additional settings of the connection, such as `foreign_keys = ON`. */
  readonly pragmas?: readonly string[]
  /** Whether integers are read as `bigint`; true if absent. */
  readonly safeIntegers?: boolean
}

/**
 * Opens a file with a write-ahead log. The file is created or migrated if necessary.
 * @throws SchemaError, SQLiteError.
 */
export function openDatabase(path: string, options: DatabaseOptions): Database {
  const { schema, busyTimeoutMs = 10_000, synchronous, pragmas = [], safeIntegers = true } = options
  makePrivateFile(path)
  const database = new Database(path, { create: true, strict: true, safeIntegers })
  try {
    database.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    useWriteAheadLog(database)
    database.run(`PRAGMA synchronous = ${synchronous}`)
    for (const pragma of pragmas) database.run(`PRAGMA ${pragma}`)
    migrate(database, schema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Maximum time that enabling the log waits for other processes. */
const MAX_WAIT_MS = 10_000
const RETRY_PAUSE_MS = 10

/**
 * Enables the write-ahead log. Processes that start together compete for the necessary locks. Attempts are repeated,
 * because SQLite does not wait for all of these locks. For the others, an attempt waits as long as its busy timeout.
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
