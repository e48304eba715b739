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
  /** Returns the shortest of several measured times for syncing a commit, in milliseconds. */
  measureCommit(): number
  /** Converts an error of the file to the store's own error. */
  explained(error: unknown): unknown
  /** Makes all subsequent reads see the current state. */
  beginReading(): void
  /** Stops checkpoints on this connection, because another thread performs them. */
  leaveCheckpoints(): void
  /**
   * Makes the next commits overwrite the log, unless a reader still needs it. A growing log slows down every commit,
   * because the disk must also store its new length. The writing thread must restart the log, because another thread
   * would have to wait for a moment without commits. Before that, the checkpoint thread has moved nearly all of the log
   * into the database.
   */
  restartLog(): void
  close(): void
}

/**
 * Opens the file. It is created or migrated if necessary. Every commit is synced to the disk before the method returns,
 * so that no response is sent before its charge is stored.
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
 * Opens the file for reading. Nothing is created, and every method that writes fails.
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
      // The first read determines the state that all reads see.
      database.query("SELECT 1 FROM accounts LIMIT 1").get()
    },
    leaveCheckpoints: () => database.run("PRAGMA wal_autocheckpoint = 0"),
    restartLog: () => restartLog(database),
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

function restartLog(database: Database): void {
  const [previous] = database.query<{ timeout: bigint }, []>("PRAGMA busy_timeout").all()
  database.run("PRAGMA busy_timeout = 0")
  try {
    database.run("PRAGMA wal_checkpoint(RESTART)")
  } catch (error) {
    // No data is lost if the disk is full or faulty. The log then grows, and the next commit reports the error.
    if (!(error instanceof SQLiteError)) throw error
  } finally {
    database.run(`PRAGMA busy_timeout = ${previous?.timeout ?? 0n}`)
  }
}

/** Closes the database, and moves the whole log into the file unless another process uses it. */
function close(database: Database): void {
  try {
    database.run("PRAGMA busy_timeout = 0")
    database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch (error) {
    // No data is lost if this fails. The log remains, and the next writer moves it. A reader cannot move it.
    if (!(error instanceof SQLiteError)) throw error
  } finally {
    database.close()
  }
}
