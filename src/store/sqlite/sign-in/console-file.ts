import { Database } from "bun:sqlite"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type ConsoleStore, LONGEST_WINDOW } from "../../console-store.ts"
import { makePrivateFile } from "../../private-file.ts"
import { migrate } from "../migrate.ts"
import { CONSOLE_SCHEMA } from "../schemas/console.ts"
import { useWriteAheadLog } from "../write-ahead-log.ts"
import { SqlitePasskeys } from "./passkeys.ts"
import { SqliteProofs } from "./proofs.ts"
import { SqliteSecondFactors } from "./second-factors.ts"
import { SqliteSessions } from "./sessions.ts"
import { SqliteSignInAttempts } from "./sign-in-attempts.ts"
import { SqliteUsers } from "./users.ts"

/** How long a write waits for the lock of another process, milliseconds. */
const BUSY_TIME = 5_000

/** Whether `console.db` exists. */
export function hasConsoleFile(dataDirectory: string): boolean {
  return existsSync(pathIn(dataDirectory))
}

/**
 * Opens `console.db`, creating it and bringing it up to date. A commit survives a crash of the process;
 * it does not wait for the disk, which would block callers' requests during a sign-in.
 * @throws SchemaError if a newer Tollgate wrote it.
 */
export function openConsoleFile(dataDirectory: string): ConsoleStore {
  const database = openDatabase(dataDirectory)
  sweep(database, Date.now())
  return {
    users: new SqliteUsers(database),
    sessions: new SqliteSessions(database),
    secondFactors: new SqliteSecondFactors(database),
    passkeys: new SqlitePasskeys(database),
    proofs: new SqliteProofs(database),
    attempts: new SqliteSignInAttempts(database),
    sweep: async (now) => sweep(database, now),
    [Symbol.dispose]: () => database.close(),
  }
}

function openDatabase(dataDirectory: string): Database {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = pathIn(dataDirectory)
  makePrivateFile(path)
  const database = new Database(path, { create: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
  useWriteAheadLog(database)
  database.run("PRAGMA synchronous = NORMAL")
  database.run("PRAGMA foreign_keys = ON")
  // What is changed or removed is overwritten in the file as well: it names people.
  database.run("PRAGMA secure_delete = ON")
  migrate(database, CONSOLE_SCHEMA)
  return database
}

function pathIn(dataDirectory: string): string {
  return join(dataDirectory, "console.db")
}

function sweep(database: Database, now: number): void {
  database.run("DELETE FROM sessions WHERE expires_at <= ?", [now])
  database.run("DELETE FROM proofs WHERE expires_at <= ?", [now])
  database.run("DELETE FROM attempts WHERE begun_at <= ?", [now - LONGEST_WINDOW])
}
