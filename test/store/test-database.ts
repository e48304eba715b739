import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { copyMigratedDatabase } from "../support/sqlite-template.ts"
import { AUDIT } from "./audit-record.ts"
import type { Engine } from "./engines.ts"
import { type GroupsOf, methodNames, methodOf, methodsNamed } from "../../src/store/methods.ts"
import type { HoldRecord } from "../../src/store/settlements.ts"
import type { Payer } from "../../src/accounting/payer.ts"
import type { KeyRecord } from "../../src/store/keys.ts"
import type { WriteOff } from "../../src/accounting/chained-records.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import type { Store } from "../../src/store/store.ts"
import { openThreadedStore } from "../../src/store/sqlite/serving-store.ts"
import type { HoldInput } from "../../src/ledger/hold.ts"
import type { LedgerAlarms } from "../../src/ledger/ledger-alarms.ts"
import { Ledger } from "../../src/ledger/ledger.ts"

/** Returns a payer that is valid at any time. */
export function payerOf(account: string, key = "key", budgets: readonly string[] = []): Payer {
  return { account, key, budgets, from: -Infinity, until: Infinity }
}

/** A directory that is removed after the test. */
export class TemporaryDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-test-"))

  get database(): string {
    return join(this.path, "tollgate.db")
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Opens the SQLite store on the test's own thread. It returns promises like the store with a separate thread. */
export function openDirectStore(path: string): Store {
  const { methods, close } = openSqliteStore(path)
  const promising = methodsNamed<GroupsOf<Store>>(methodNames(methods), (group, name) => {
    const method = methodOf(methods, group, name)
    return async (...parameters) => method(...parameters)
  })
  return { ...promising, [Symbol.asyncDispose]: async () => close() }
}

/** Records alarms. */
export class RecordedAlarms implements LedgerAlarms {
  readonly writtenOffs: (WriteOff & { request: string })[] = []
  readonly late: { request: string; charged: bigint }[] = []
  readonly expirations: HoldRecord[] = []
  readonly failures: unknown[] = []
  readonly writtenOff = (request: string, writeOff: WriteOff): void => {
    this.writtenOffs.push({ request, ...writeOff })
  }
  readonly settledLate = (request: string, charged: bigint): void => {
    this.late.push({ request, charged })
  }
  readonly expired = (hold: HoldRecord): void => {
    this.expirations.push(hold)
  }
  readonly failed = (error: unknown): void => {
    this.failures.push(error)
  }
}

/** A database in a temporary folder. */
export class TestDatabase implements AsyncDisposable {
  readonly directory: TemporaryDirectory
  readonly alarms = new RecordedAlarms()
  readonly store: Store
  readonly #open: Engine["open"]
  readonly #stores: Store[]
  #number = 0

  private constructor(directory: TemporaryDirectory, store: Store, open: Engine["open"]) {
    this.directory = directory
    this.store = store
    this.#open = open
    this.#stores = [store]
  }

  /** Opens a SQLite database on the test's own thread. Further stores have separate threads. */
  static direct(): TestDatabase {
    const directory = new TemporaryDirectory()
    copyMigratedDatabase(directory.path)
    return new TestDatabase(directory, openDirectStore(directory.database), () =>
      openThreadedStore(directory.database),
    )
  }

  /** The engine that `open` uses; undefined: SQLite on the test's own thread. */
  static engine: Engine | undefined

  static async open(): Promise<TestDatabase> {
    const { engine } = TestDatabase
    return engine ? TestDatabase.on(engine) : TestDatabase.direct()
  }

  static async on(engine: Pick<Engine, "open">): Promise<TestDatabase> {
    const directory = new TemporaryDirectory()
    return new TestDatabase(directory, await engine.open(directory.path), engine.open)
  }

  /** Opens a further store with the same database, as another process would. */
  async another(): Promise<Store> {
    const store = await this.#open(this.directory.path)
    this.#stores.push(store)
    return store
  }

  /** Returns the ledger of a node that has joined. */
  async ledger(node: string, store = this.store): Promise<Ledger> {
    await store.nodes.join({
      id: node,
      process: process.pid,
      host: "test",
      beatAt: Date.now(),
      machine: null,
    })
    return new Ledger(store, node, this.alarms)
  }

  async account(id: string, balance: bigint): Promise<Payer> {
    await this.store.accounts.create({ id, name: `name of ${id}`, createdAt: 1 }, AUDIT)
    if (balance > 0n) await this.grant(id, balance)
    return payerOf(id)
  }

  async grant(account: string, amount: bigint): Promise<void> {
    const unknowns = { note: null, author: null }
    await this.store.entries.add({ account, kind: "grant", amount, at: 2, ...unknowns }, AUDIT)
  }

  async key(
    id: string,
    account: string,
    budget: bigint | null,
    periods: { dailyBudget?: bigint; monthlyBudget?: bigint } = {},
  ): Promise<KeyRecord> {
    return this.store.keys.insert(
      {
        id,
        account,
        name: id,
        models: null,
        aliases: null,
        budget,
        dailyBudget: periods.dailyBudget ?? null,
        monthlyBudget: periods.monthlyBudget ?? null,
        requestsPerMinute: null,
        tokensPerMinute: null,
        concurrentRequests: null,
        createdAt: 1,
        createdBy: null,
        expiresAt: null,
        origins: null,
        isReadOnly: false,
        addresses: null,
        secret: { hash: `hash of ${id}`, hint: "abcd", createdAt: 1, expiresAt: null },
      },
      AUDIT,
    )
  }

  order(payer: Payer, amount: bigint): HoldInput {
    const request = `req_${++this.#number}`
    return { request, payer, amount, receipt: () => `{"status":"expired","id":"${request}"}` }
  }

  /** Changes the database directly, without the ledger. */
  change(statement: string): void {
    using database = new Database(this.directory.database)
    database.run("PRAGMA busy_timeout = 5000")
    database.run(statement)
  }

  async balanceOf(account: string): Promise<bigint> {
    return (await this.store.accounts.find(account))?.balance ?? -1n
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores.toReversed()) await store[Symbol.asyncDispose]()
    this.directory[Symbol.dispose]()
  }
}

/**
 * Waits until other stores, which run on threads, have been opened and have answered many calls. A call that has no
 * response by then is not slow but blocked.
 */
export async function threadsResponse(): Promise<void> {
  for (let opened = 0; opened < 3; opened++) {
    using directory = new TemporaryDirectory()
    await using store = await openThreadedStore(directory.database)
    for (let responses = 0; responses < 20; responses++) await store.accounts.list()
  }
}
