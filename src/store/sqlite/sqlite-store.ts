import { Database, SQLiteError } from "bun:sqlite"
import type { Batch, HoldRecord, Posted } from "../records.ts"
import type { DirectStore } from "../store.ts"
import { Accounts } from "./accounts.ts"
import { Keys } from "./keys.ts"
import { Leases } from "./leases.ts"
import { migrate } from "./migrations.ts"
import { Postings } from "./postings.ts"

/** How long a step waits for another process to finish its own, milliseconds. */
const BUSY_TIME = 10_000
const WRITE_AHEAD_PAUSE = 10
const COMMIT_MEASURES = 5

/** The store on one SQLite file, which several processes may share. It answers at once. */
export interface SqliteStore extends DirectStore {
  /** How long the disk takes to sync a commit at best, milliseconds. */
  measureCommit(): number
  /** From now on somebody else moves the log into the database. */
  leaveCheckpoints(): void
  close(): void
}

/**
 * Opens the file, creating it and bringing its schema up to date.
 * Every commit is synced to the disk before it answers: what was released has been paid for.
 */
export function openSqliteStore(path: string): SqliteStore {
  const database = new Database(path, { create: true, strict: true, safeIntegers: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
  useWriteAheadLog(database)
  database.run("PRAGMA synchronous = FULL")
  database.run("PRAGMA foreign_keys = ON")
  migrate(database)
  const accounts = new Accounts(database)
  const keys = new Keys(database)
  const leases = new Leases(database)
  const postings = new Postings(database, accounts, leases)

  // Made once: to make one costs as much as a small step in it.
  const transaction = database.transaction((step: () => unknown) => step())

  function atomically<T>(step: () => T): T {
    return transaction.immediate(step) as T
  }

  /** Several reads that see the same state, without keeping writers out. */
  function consistently<T>(step: () => T): T {
    return transaction.deferred(step) as T
  }

  function removeNode(id: string): HoldRecord[] {
    const expired = leases.remove(id)
    for (const hold of expired) postings.expire(hold)
    return expired
  }

  /** Nearly no request is in the book before: to look for each beforehand would cost more than this. */
  function post(node: string, batch: Batch): Posted[] {
    try {
      return atomically(() => postings.post(node, batch))
    } catch (error) {
      if (!isRepetition(error)) throw error
      return atomically(() => postings.postAgain(node, batch))
    }
  }

  return {
    createAccount: (account) => atomically(() => accounts.create(account)),
    findAccount: (idOrName) => accounts.find(idOrName),
    listAccounts: () => accounts.list(),
    addEntry: (entry) => atomically(() => accounts.addEntry(entry)),
    listEntries: (account, after, limit) => accounts.entries(account, after, limit),
    findReceipt: (request) => postings.receipt(request),
    insertKey: (key) => atomically(() => keys.insert(key)),
    rotateKey: (id, secret, grace) => atomically(() => keys.rotate(id, secret, grace)),
    revokeKey: (id, at) => atomically(() => keys.revoke(id, at)),
    findKey: (id) => consistently(() => keys.find(id)),
    listKeys: (account) => consistently(() => keys.list(account)),
    keysSince: (revision) => consistently(() => keys.since(revision)),
    joinNode: (node) => atomically(() => leases.join(node)),
    pollNode: (id, beatAt) => {
      if (beatAt !== null) atomically(() => leases.beat(id, beatAt))
      return leases.news(id, keys.revision())
    },
    listNodes: () => leases.list(),
    removeNode: (id) => atomically(() => removeNode(id)),
    lease: (order) => atomically(() => leases.lease(order)),
    returnLease: (node, owner, amount) => atomically(() => leases.returnLease(node, owner, amount)),
    post,
    measureCommit: () => measureCommit(database),
    leaveCheckpoints: () => database.run("PRAGMA wal_autocheckpoint = 0"),
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

/** SQLite waits for no lock here, and processes that start together all want to be the first. */
function useWriteAheadLog(database: Database): void {
  for (let patience = BUSY_TIME; ; patience -= WRITE_AHEAD_PAUSE) {
    try {
      database.run("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (!isBusy(error) || patience <= 0) throw error
      Bun.sleepSync(WRITE_AHEAD_PAUSE)
    }
  }
}

function isRepetition(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === "SQLITE_CONSTRAINT_UNIQUE"
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY")
}

/** Leaves everything in the one file where no other process is in the way. */
function close(database: Database): void {
  database.run("PRAGMA busy_timeout = 0")
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
}
