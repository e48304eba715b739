import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import type { Store } from "../../src/store/store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase, threadsResponse } from "../store/test-database.ts"
import { until } from "../support/until.ts"

/** A store that can be made to fail on every write, before or after the write is performed. */
class FailingStore {
  failure: "none" | "before" | "after" = "none"
  readonly store: Store

  constructor(inner: Store) {
    this.store = {
      ...inner,
      settlements: {
        ...inner.settlements,
        post: (...parameters) => this.#fail(() => inner.settlements.post(...parameters)),
      },
      leases: {
        ...inner.leases,
        take: (...parameters) => this.#fail(() => inner.leases.take(...parameters)),
      },
      nodes: {
        ...inner.nodes,
        poll: (...parameters) => this.#fail(() => inner.nodes.poll(...parameters)),
      },
    }
  }

  async #fail<T>(step: () => Promise<T>): Promise<T> {
    if (this.failure === "before") throw new Error("database or disk is full")
    const result = await step()
    if (this.failure === "after") throw new Error("disk I/O error")
    return result
  }
}

describe("a ledger whose writes fail", () => {
  test("rejects a settlement, charges nothing and releases the hold", async () => {
    await using database = TestDatabase.direct()
    const failing = new FailingStore(database.store)
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node", failing.store)
    await ledger.lease(payer, 100n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    failing.failure = "before"
    await expect(ledger.settle(hold, 50n, () => "{}")).rejects.toThrow("disk is full")
    expect(ledger.failure).toBeInstanceOf(Error)
    expect(database.alarms.failures).toHaveLength(1)
    expect(ledger.available(payer)).toBe(100n)
    expect(await database.balanceOf("account")).toBe(100n)

    failing.failure = "none"
    const next = ledger.tryHold(database.order(payer, 100n))!
    expect(await ledger.settle(next, 100n, () => "{}")).toMatchObject({
      charged: 100n,
      balance: 0n,
    })
    expect(ledger.failure).toBeUndefined()
  })

  test("recovers through a probe, without a new settlement", async () => {
    await using database = TestDatabase.direct()
    const failing = new FailingStore(database.store)
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node", failing.store)
    await ledger.lease(payer, 100n)
    failing.failure = "before"
    await expect(
      ledger.settle(ledger.tryHold(database.order(payer, 1n))!, 1n, () => "{}"),
    ).rejects.toThrow()
    await expect(ledger.tick([])).rejects.toThrow()
    expect(ledger.failure).toBeDefined()
    failing.failure = "none"
    await ledger.tick([])
    expect(ledger.failure).toBeUndefined()
  })

  test("rejects requests that require a larger lease, until writes succeed again", async () => {
    await using database = TestDatabase.direct()
    const failing = new FailingStore(database.store)
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node", failing.store)
    failing.failure = "before"
    const asking = Array.from({ length: 5 }, () => ledger.lease(payer, 10n))
    const responses = await Promise.allSettled(asking)
    expect(responses.map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => "rejected"),
    )
    failing.failure = "none"
    expect(await ledger.lease(payer, 10n)).toBe(true)
  })

  test("settles a cost above its hold only up to the hold", async () => {
    await using database = TestDatabase.direct()
    const failing = new FailingStore(database.store)
    const payer = await database.account("account", 100n)
    await database.ledger("another, so that no lease is all there is")
    const ledger = await database.ledger("node", failing.store)
    const leased = await ledger.lease(payer, 30n)
    expect(leased).toBe(true)
    const hold = ledger.tryHold(database.order(payer, 30n))!
    failing.failure = "before"
    const settling = ledger.settle(hold, 90n, () => "{}")
    await until(() => database.alarms.failures.length === 1)
    failing.failure = "none"
    expect(await settling).toMatchObject({ charged: 30n, writtenOff: 60n, balance: 70n })
  })

  test("does not charge twice if the response to its write is lost", async () => {
    await using database = TestDatabase.direct()
    const failing = new FailingStore(database.store)
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node", failing.store)
    await ledger.lease(payer, 100n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    failing.failure = "after"
    const settling = ledger.settle(hold, 50n, () => "{}")
    await until(async () => (await database.balanceOf("account")) === 50n)
    failing.failure = "none"
    expect(await settling).toEqual({ charged: 50n, writtenOff: 0n, balance: 50n })
    expect(ledger.available(payer)).toBe(50n)
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 50n,
      leased: 50n,
    })
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })
})

test("the ledger waits for a file that another process has locked", async () => {
  await using database = TestDatabase.direct()
  const payer = await database.account("account", 100n)
  const ledger = await database.ledger("node", await database.another())
  await ledger.lease(payer, 100n)
  const locker = new Database(database.directory.database)
  locker.run("BEGIN IMMEDIATE")
  const settling = ledger.settle(ledger.tryHold(database.order(payer, 60n))!, 50n, () => "{}")
  await threadsResponse()
  expect(Bun.peek.status(settling)).toBe("pending")
  locker.run("ROLLBACK")
  expect((await settling).charged).toBe(50n)
  locker.close()
})

/** Some failures in SQLite abort one statement, and others abort the whole transaction. */
for (const gravity of ["ABORT", "ROLLBACK"]) {
  test(`the ledger stores nothing of a batch that fails inside its transaction: ${gravity}`, async () => {
    await using database = TestDatabase.direct()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node", await database.another())
    await ledger.lease(payer, 100n)
    const breaker = new Database(database.directory.database)
    breaker.run(
      `CREATE TRIGGER full BEFORE INSERT ON entries WHEN new.request = 'req_3'
       BEGIN SELECT RAISE(${gravity}, 'database or disk is full'); END`,
    )
    const [first, ...others] = [1, 2, 3].map(() => ledger.tryHold(database.order(payer, 10n))!)
    const settling = [ledger.settle(first!, 10n, () => "{}")]
    await settling[0]
    settling.push(...others.map((hold) => ledger.settle(hold, 10n, () => "{}")))
    const responses = await Promise.allSettled(settling)
    expect(responses.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"])
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 90n,
      leased: 90n,
    })
    breaker.run("DROP TRIGGER full")
    breaker.close()
    expect(ledger.available(payer)).toBe(90n)
    const next = ledger.tryHold(database.order(payer, 90n))!
    expect((await ledger.settle(next, 90n, () => "{}")).charged).toBe(90n)
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })
}
