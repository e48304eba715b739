import { type Database, SQLiteError } from "bun:sqlite"
import { existsSync } from "node:fs"
import { LedgerError } from "../ledger-error.ts"
import type { DirectStore } from "./direct-store.ts"
import { asLedgerError } from "./explain-error.ts"
import { requireNewestSchema } from "./migrate.ts"
import { openDatabase } from "./open-database.ts"
import { openForReading } from "./open-for-reading.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"
import { storeMethods } from "./store-methods.ts"

const COMMIT_MEASURES = 5

/** The store on one SQLite file, which several processes may share. */
export interface SqliteStore {
  readonly methods: DirectStore
  /** How long the disk takes to sync a commit at best, milliseconds. */
  measureCommit(): number
  /** An error of a method as the store's own, where it comes from the file. */
  explained(error: unknown): unknown
  /** From now on it reads the state of this moment. */
  beginReading(): void
  /** From now on someone else moves the log into the database. */
  leaveCheckpoints(): void
  close(): void
}

/**
 * Opens the file, creating it and bringing its schema up to date.
 * Every commit is synced to the disk before it answers: what was released has been paid for.
 * @throws LedgerError `damaged`, `unavailable`, or `other_version`.
 */
export function openSqliteStore(path: string): SqliteStore {
  try {
    const database = openDatabase(path, {
      schema: LEDGER_SCHEMA,
      synchronous: "FULL",
      pragmas: ["foreign_keys = ON"],
    })
    return storeOn(database, path)
  } catch (error) {
    throw asLedgerError(path, error)
  }
}

/**
 * Opens the file for reading: nothing is created, and every method that writes fails.
 * @throws LedgerError `not_found` where there is none, `damaged`, `unavailable`, `other_version`.
 */
export function openSqliteReader(path: string): SqliteStore {
  if (!existsSync(path)) throw new LedgerError("not_found", `there is no ledger at ${path}`)
  try {
    const database = openForReading(path)
    requireNewestSchema(database, LEDGER_SCHEMA)
    return storeOn(database, path)
  } catch (error) {
    throw asLedgerError(path, error)
  }
}

function storeOn(database: Database, path: string): SqliteStore {
  return {
    methods: storeMethods(database),
    measureCommit: () => measureCommit(database),
    beginReading: () => {
      database.run("BEGIN")
      // The moment is that of its first read.
      database.query("SELECT 1 FROM accounts LIMIT 1").get()
    },
    leaveCheckpoints: () => database.run("PRAGMA wal_autocheckpoint = 0"),
    explained: (error) => asLedgerError(path, error),
    close: () => close(database),
  }
}

function measureCommit(database: Database): number {
  let best = Infinity
  for (let attempt = 0; attempt < COMMIT_MEASURES; attempt++) {
    const begun = performance.now()
    database.run("UPDATE revision SET number = number")
    best = Math.min(best, performance.now() - begun)
  }
  return best
}

/** Leaves everything in the one file where no other process is in the way. */
function close(database: Database): void {
  try {
    database.run("PRAGMA busy_timeout = 0")
    database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch (error) {
    // Everything is in the log as well: who opens it next moves it. A reader moves nothing.
    if (!(error instanceof SQLiteError)) throw error
  } finally {
    database.close()
  }
}
