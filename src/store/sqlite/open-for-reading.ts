import { constants, Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { hasLog } from "./database-file.ts"

/** Maximum time that a read waits for writers. */
const BUSY_TIMEOUT_MS = 10_000
const READ_ONLY = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI

/**
 * Opens a database for reading without creating any file, not even the index of its log. The database may be in use, on
 * read-only media, or a copy with or without its log.
 */
export function openForReading(path: string): Database {
  // If the file `-shm` exists, other processes may have the database open, so their locks must be respected.
  if (existsSync(`${path}-shm`)) {
    const database = new Database(path, { readonly: true, strict: true, safeIntegers: true })
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return database
  }
  if (!hasLog(path)) return openExactly(addressOf(path, "immutable=1"))
  const database = openExactly(addressOf(path, "vfs=unix-none"))
  // With an exclusive lock, SQLite keeps the index of the log in memory.
  database.run("PRAGMA locking_mode = EXCLUSIVE")
  return database
}

function addressOf(path: string, parameter: string): string {
  return `${pathToFileURL(path).href}?${parameter}`
}

/**
 * Opens a database with flags. Bun accepts either flags or options, so exact integers, which are an option, are enabled
 * by each statement.
 */
function openExactly(address: string): Database {
  const database = new Database(address, READ_ONLY)
  const prepare = database.prepare.bind(database)
  const query = database.query.bind(database)
  database.prepare = ((sql: string) => prepare(sql).safeIntegers(true)) as Database["prepare"]
  database.query = ((sql: string) => query(sql).safeIntegers(true)) as Database["query"]
  return database
}
