import { Database } from "bun:sqlite"
import type { HoldRecord } from "../records.ts"
import type { DirectStore } from "../store.ts"
import { Accounts } from "./accounts.ts"
import { Keys } from "./keys.ts"
import { Leases } from "./leases.ts"
import { migrate } from "./migrations.ts"
import { Postings } from "./postings.ts"

/** The store on one SQLite file, which several processes may share. It answers at once. */
export interface SqliteStore extends DirectStore {
  close(): void
}

/**
 * Opens the file, creating it and bringing its schema up to date.
 * Every commit is synced to the disk before it answers: what was released has been paid for.
 */
export function openSqliteStore(path: string): SqliteStore {
  const database = new Database(path, { create: true, strict: true, safeIntegers: true })
  database.run("PRAGMA busy_timeout = 10000")
  database.run("PRAGMA journal_mode = WAL")
  database.run("PRAGMA synchronous = FULL")
  database.run("PRAGMA foreign_keys = ON")
  migrate(database)
  const accounts = new Accounts(database)
  const keys = new Keys(database)
  const leases = new Leases(database)
  const postings = new Postings(database, accounts, leases)

  function atomically<T>(step: () => T): T {
    return database.transaction(step).immediate()
  }

  /** Several reads that see the same state, without keeping writers out. */
  function consistently<T>(step: () => T): T {
    return database.transaction(step).deferred()
  }

  function removeNode(id: string): HoldRecord[] {
    const expired = leases.remove(id)
    for (const hold of expired) postings.expire(hold)
    return expired
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
    returnLease: (node, owner, amount) =>
      atomically(() => leases.returnLease(node, owner, amount)),
    post: (node, batch) => atomically(() => postings.post(node, batch)),
    close: () => database.close(),
  }
}
