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
  /** Returns the shortest of several times to sync a commit, in milliseconds. */
  measureCommit(): number
  /** Converts an error that comes from the file into the store's own error. */
  explained(error: unknown): unknown
  /** Makes all further reads see the present state. */
  beginReading(): void
  /** Stops checkpoints on this connection, because another thread performs them. */
  leaveCheckpoints(): void
  close(): void
}

/**
 * Opens the file, creating it and bringing its schema up to date. Every commit is synced to the disk before the method
 * returns, so that no answer is released before its charge is stored.
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
 * Opens the file for reading: it creates nothing, and every method that writes fails.
 * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version`.
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
      // The first read determines which state is seen.
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

/** Moves the whole log into the file, unless another process uses it. */
function close(database: Database): void {
  try {
    database.run("PRAGMA busy_timeout = 0")
    database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch (error) {
    // Nothing is lost: the log remains, and the next writer moves it. A reader cannot move it.
    if (!(error instanceof SQLiteError)) throw error
  } finally {
    database.close()
  }
}
