import { Database } from "bun:sqlite"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { makePrivateFile } from "./private-file.ts"
import { migrate } from "./sqlite/migrate.ts"
import { CONSOLE_SCHEMA } from "./sqlite/schemas/console.ts"
import { useWriteAheadLog } from "./sqlite/write-ahead-log.ts"

/** How long a step waits for another process to finish its own, milliseconds. */
const BUSY_TIME = 5_000

/**
 * The file of users and sessions. A transaction takes the writers' lock when it begins: one that read
 * first would fail where another process has written since.
 */
export class ConsoleDatabase extends Database {
  override prepare: Database["prepare"] = (text: string, ...rest: never[]) =>
    super.prepare(text === "begin" ? "begin immediate" : text, ...rest) as never
}

/** Where it is. */
export function consoleDatabasePath(dataDirectory: string): string {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  return join(dataDirectory, "console.db")
}

/**
 * Opens `console.db`, creating it and bringing it up to date. A commit survives a crash of the process;
 * it does not wait for the disk, since that would stop callers' requests for a sign-in.
 * @throws SchemaError when a newer Tollgate has written it.
 */
export function openConsoleDatabase(dataDirectory: string): ConsoleDatabase {
  const path = consoleDatabasePath(dataDirectory)
  makePrivateFile(path)
  const database = new ConsoleDatabase(path, { create: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
  useWriteAheadLog(database)
  database.run("PRAGMA synchronous = NORMAL")
  database.run("PRAGMA foreign_keys = ON")
  migrate(database, CONSOLE_SCHEMA)
  return database
}
