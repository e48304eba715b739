import { SQL } from "bun"
import { expect } from "bun:test"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import type { Engine } from "../engines.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { postgresStore } from "../../../src/store/postgres/postgres-store.ts"
import type { Store } from "../../../src/store/store.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { until } from "../../support/until.ts"
import { TestDatabase } from "../test-database.ts"

/** A statement that locks a row. Every change of managed data ends with a lock on this row. */
export const END_OF_THE_LOG = "SELECT 1 FROM chain_ends WHERE name = 'audit' FOR UPDATE"

const databases = new TestDatabases()

const ENGINE: Pick<Engine, "open"> = {
  open: async (folder) =>
    postgresStore(
      new PostgresClient({ url: await databases.urlOf(folder), max: 4, connectTime: 5_000 }),
    ),
}

/** A PostgreSQL database, and a connection whose locks stop steps at the point that a test needs. */
export class LockedDatabase implements AsyncDisposable {
  readonly database: TestDatabase
  readonly #sql: SQL

  private constructor(database: TestDatabase, url: string) {
    this.database = database
    this.#sql = new SQL(url, { max: 2, bigint: true })
  }

  static async open(): Promise<LockedDatabase> {
    const database = await TestDatabase.on(ENGINE)
    return new LockedDatabase(database, await databases.urlOf(database.directory.path))
  }

  get store(): Store {
    return this.database.store
  }

  /** Asserts that all sums and hashes of the ledger are correct. */
  async expectWholeLedger(): Promise<void> {
    expect((await verifyLedgers(this.store)).problems).toEqual([])
  }

  /**
   * Runs steps that all wait for the same lock. Each step begins when the previous step is waiting. The lock is
   * released when all steps are waiting.
   * @param lock a statement that takes the lock.
   * @returns the outcome of each step, in order.
   */
  async meet(
    lock: string,
    ...steps: readonly (() => Promise<unknown>)[]
  ): Promise<readonly unknown[]> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: locked, resolve: nowLocked } = Promise.withResolvers<void>()
    const holding = this.#sql.begin(async (transaction) => {
      await transaction.unsafe(lock)
      nowLocked()
      await released
    })
    await Promise.race([locked, holding])
    const outcomes: Promise<unknown>[] = []
    for (const step of steps) {
      outcomes.push(outcomeOf(step()))
      await until(async () => (await this.#countWaiting()) === outcomes.length)
    }
    release()
    await holding
    return Promise.all(outcomes)
  }

  /** Runs a statement without the store. */
  run<Row>(statement: string): Promise<Row[]> {
    return this.#sql.unsafe(statement)
  }

  /** Returns the number of deadlocks between steps. */
  async countDeadlocks(): Promise<bigint | undefined> {
    const rows = await this.run<{ deadlocks: bigint }>(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    )
    return rows[0]?.deadlocks
  }

  async #countWaiting(): Promise<number> {
    const rows = await this.run<{ count: bigint }>(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return Number(rows[0]?.count ?? 0n)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 0 })
    await this.database[Symbol.asyncDispose]()
  }
}

/** Returns the result of a step, or the code of its error. */
async function outcomeOf(step: Promise<unknown>): Promise<unknown> {
  return step.catch((error: unknown) => Reflect.get(Object(error), "code") ?? error)
}
