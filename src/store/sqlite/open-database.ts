import { Database } from "bun:sqlite"
import { makePrivateFile } from "../private-file.ts"
import { migrate, type Schema } from "./migrate.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

export interface DatabaseOptions {
  readonly schema: Schema
  /** Maximum wait of a statement for the lock of another process; absent: 10 s. */
  readonly busyTimeoutMs?: number
  /** `FULL`: a commit waits for the disk. `NORMAL`: it survives a crash of the process only. */
  readonly synchronous: "FULL" | "NORMAL"
  /** Further settings of the connection, such as `foreign_keys = ON`. */
  readonly pragmas?: readonly string[]
  /** Whether integers are read as `bigint`; absent: true. */
  readonly safeIntegers?: boolean
}

/**
 * Opens a file with a write-ahead log, creating it and bringing its schema up to date.
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
