import type { HoldRecord } from "../settlements.ts"
import { Database, SQLiteError } from "bun:sqlite"
import { existsSync } from "node:fs"
import { BookError } from "../book-error.ts"
import type { DirectStore } from "../store.ts"
import { Accounts } from "./accounts.ts"
import { AuditTrail } from "./audit.ts"
import { Idempotency, idempotencySteps } from "./idempotency.ts"
import { Invitations } from "./invitations.ts"
import { bookSteps } from "./book-steps.ts"
import { asBookError } from "./explain-error.ts"
import { BookChecks } from "./book-checks.ts"
import { BookPages } from "./book-pages.ts"
import { Budgets } from "./budgets.ts"
import { CardPayments } from "./card-payments.ts"
import { Codes } from "./codes.ts"
import { Debts } from "./debts.ts"
import { Keys } from "./keys.ts"
import { Leases } from "./leases.ts"
import { leaseSteps } from "./lease-steps.ts"
import { memberSteps } from "./member-steps.ts"
import { Members } from "./members.ts"
import { makePrivateFile } from "../private-file.ts"
import { migrate, requireNewestSchema } from "./migrate.ts"
import { BOOK_SCHEMA } from "./schemas/book.ts"
import { openForReading } from "./open-for-reading.ts"
import { Postings, postStep } from "./postings.ts"
import { ConsoleSettings } from "./settings.ts"
import { Transactions } from "./transactions.ts"
import { VendorStates } from "./vendor-state.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"
import { WriteOffs } from "./write-offs.ts"

/** How long a step waits for another process to finish its own, milliseconds. */
const BUSY_TIME = 10_000
const COMMIT_MEASURES = 5

/** The store on one SQLite file, which several processes may share. It answers at once. */
export interface SqliteStore extends DirectStore {
  /** How long the disk takes to sync a commit at best, milliseconds. */
  measureCommit(): number
  /** An error of a step as the store's own, where it comes from the file. */
  explained(error: unknown): unknown
  /** From now on somebody else moves the log into the database. */
  leaveCheckpoints(): void
  close(): void
}

/**
 * Opens the file, creating it and bringing its schema up to date.
 * Every commit is synced to the disk before it answers: what was released has been paid for.
 * @throws BookError `damaged`, `unavailable`, or `other_version`.
 */
export function openSqliteStore(path: string): SqliteStore {
  try {
    makePrivateFile(path)
    const database = new Database(path, { create: true, strict: true, safeIntegers: true })
    database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
    useWriteAheadLog(database)
    database.run("PRAGMA synchronous = FULL")
    database.run("PRAGMA foreign_keys = ON")
    migrate(database, BOOK_SCHEMA)
    return storeOn(database, path)
  } catch (error) {
    throw asBookError(path, error)
  }
}

/**
 * Opens the file to look at it: nothing is made, and every step that writes fails.
 * @throws BookError `not_found` where there is none, `damaged`, `unavailable`, `other_version`.
 */
export function openSqliteReader(path: string): SqliteStore {
  if (!existsSync(path)) throw new BookError("not_found", `there is no book at ${path}`)
  try {
    const database = openForReading(path)
    requireNewestSchema(database, BOOK_SCHEMA)
    return storeOn(database, path)
  } catch (error) {
    throw asBookError(path, error)
  }
}

function storeOn(database: Database, path: string): SqliteStore {
  const transactions = new Transactions(database)
  const accounts = new Accounts(database)
  const pages = new BookPages(database)
  const codes = new Codes(database, accounts)
  const debts = new Debts(database, accounts)
  const cards = new CardPayments(database, accounts, debts)
  const credit = { accounts, pages, codes, cards, debts }
  const budgets = new Budgets(database)
  const keys = new Keys(database, budgets)
  const settings = new ConsoleSettings(database)
  const members = new Members(database)
  const invitations = new Invitations(database, members)
  const leases = new Leases(database, budgets)
  const writeOffs = new WriteOffs(database)
  const states = new VendorStates(database)
  const postings = new Postings(database, { accounts, leases, writeOffs, states })
  const idempotency = new Idempotency(database)
  const trail = new AuditTrail(database, idempotency)
  const checks = new BookChecks(database)

  function removeNode(id: string): HoldRecord[] {
    const expired = leases.remove(id)
    for (const hold of expired) postings.expire(hold)
    debts.collectAll(Date.now())
    return expired
  }

  const store: SqliteStore = {
    ...bookSteps({ transactions, ...credit, budgets, keys, leases, postings }),
    ...memberSteps({ transactions, members, invitations }),
    ...idempotencySteps(transactions, idempotency),
    audited: (step, parameters, record) =>
      transactions.atomically(() => {
        // Transactions nest: the step's own is a savepoint in this one.
        const perform = store[step] as (...parameters: readonly unknown[]) => unknown
        const result = perform(...parameters)
        trail.append(record)
        return result
      }),
    appendAudit: (record) => transactions.atomically(() => trail.append(record)),
    listAudit: (filter, before, limit) => trail.list(filter, before, limit),
    listWriteOffs: (accounts, before, limit) => writeOffs.list(accounts, before, limit),
    consoleSettings: () => transactions.consistently(() => settings.state()),
    changeConsoleSettings: (changes, at) =>
      transactions.atomically(() => settings.change(changes, at)),
    joinNode: (node) => transactions.atomically(() => leases.join(node)),
    pollNode: (id, beatAt) => {
      if (beatAt !== null) transactions.atomically(() => leases.beat(id, beatAt))
      const revisions = { revision: keys.revision(), settingsRevision: settings.revision() }
      return leases.news(id, revisions)
    },
    listNodes: () => leases.list(),
    removeNode: (id) => transactions.atomically(() => removeNode(id)),
    ...leaseSteps({ transactions, leases, debts }),
    advanceAnchor(at) {
      transactions.atomically(() => postings.writeAnchor())
      return checks.advanceAnchor(at)
    },
    findAnchor: () => transactions.consistently(() => checks.anchor()),
    listBookRows: (after, limit) => checks.rows(after, limit),
    listBalanceFaults: (now) => transactions.consistently(() => checks.balanceFaults(now)),
    post: postStep(transactions, postings),
    findVendorState: (idHashes) => states.find(idHashes),
    disownVendorState: (account, idHashes) => states.disown(account, idHashes),
    sweepVendorState: (now, most) => transactions.atomically(() => states.sweep(now, most)),
    measureCommit: () => measureCommit(database),
    leaveCheckpoints: () => database.run("PRAGMA wal_autocheckpoint = 0"),
    explained: (error) => asBookError(path, error),
    close: () => close(database),
  }
  return store
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
