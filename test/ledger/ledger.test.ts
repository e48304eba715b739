import { describe, expect, test } from "bun:test"
import type { Batch, Posting } from "../../src/store/settlements.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase } from "../store/test-database.ts"

const PAYER = { account: "account", key: "key", budgets: [] }

const CHARGE = { ...PAYER, at: 5, receipt: "{}", amount: 2n, writtenOff: [] }

/** Returns a batch as a journal would post it. */
function batchOf(...postings: readonly Posting[]): Batch {
  return { postings, opened: [], closed: [] }
}

describe("a hold", () => {
  test("reserves credits and releases them", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    expect(ledger.tryHold(database.order(payer, 60n))).toBeUndefined()
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    expect(ledger.available(payer)).toBe(40n)
    expect(ledger.heldOf("account")).toBe(60n)
    expect(ledger.tryHold(database.order(payer, 41n))).toBeUndefined()
    await ledger.settle(hold, 0n, () => "{}")
    expect(ledger.available(payer)).toBe(100n)
    expect(await database.balanceOf("account")).toBe(100n)
  })

  test("can be increased or reduced within the leased amount", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 100n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    expect(ledger.tryResize(hold, 101n)).toBeFalse()
    expect(ledger.heldOf("account")).toBe(60n)
    expect(ledger.tryResize(hold, 100n)).toBeTrue()
    expect(ledger.available(payer)).toBe(0n)
    expect(ledger.tryResize(hold, 20n)).toBeTrue()
    expect(ledger.available(payer)).toBe(80n)
    const { charged } = await ledger.settle(hold, 15n, () => "{}")
    expect(charged).toBe(15n)
    expect(ledger.available(payer)).toBe(85n)
    expect(ledger.heldOf("account")).toBe(0n)
  })

  test("can be reduced but not increased after its lease was lost", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    ledger.rejoin("node.2")
    expect(ledger.tryResize(hold, 61n)).toBeFalse()
    expect(ledger.tryResize(hold, 20n)).toBeTrue()
    expect(ledger.heldOf("account")).toBe(20n)
  })

  test("fails without a balance, but succeeds for an amount of zero", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 0n)
    const ledger = await database.ledger("node")
    expect(await ledger.lease(payer, 1n)).toBeUndefined()
    expect(ledger.tryHold(database.order(payer, 1n))).toBeUndefined()
    expect(ledger.tryHold(database.order(payer, 0n))).toBeDefined()
    expect(ledger.snapshot(payer)).toEqual([
      { owner: "account", posted: 0n, available: 0n, debt: 0n },
    ])
  })

  test("leases the whole balance if the request requires more, so that the request's output can be limited", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 7n)
    const ledger = await database.ledger("node")
    expect(await ledger.lease(payer, 10n)).toBeUndefined()
    expect(ledger.available(payer)).toBe(7n)
  })

  test("succeeds if credits are granted after it was rejected", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 0n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 5n)
    await database.grant("account", 5n)
    const place = () => ledger.tryHold(database.order(payer, 5n))
    expect(await ledger.extend(payer, 5n, place)).toBeDefined()
  })

  test("can use the largest balance that can be stored, and a larger balance is rejected", async () => {
    await using database = await TestDatabase.open()
    const largest = 2n ** 63n - 1n
    const payer = await database.account("account", largest)
    await expect(database.grant("account", 1n)).rejects.toThrow()
    const ledger = await database.ledger("node")
    await ledger.lease(payer, largest)
    const hold = ledger.tryHold(database.order(payer, largest))!
    expect(await ledger.lease(payer, 10n ** 30n)).toBeUndefined()
    const settlement = await ledger.settle(hold, largest, () => "{}")
    expect(settlement).toEqual({ charged: largest, writtenOff: 0n, balance: 0n })
  })
})

describe("a settlement", () => {
  test("charges the cost and releases the rest of the hold", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 60n)
    const order = database.order(payer, 60n)
    const hold = ledger.tryHold(order)!
    const settlement = await ledger.settle(hold, 25n, () => '{"receipt":1}')
    expect(settlement).toEqual({ charged: 25n, writtenOff: 0n, balance: 75n })
    expect(ledger.available(payer)).toBe(75n)
    expect(ledger.heldOf("account")).toBe(0n)
    const receipt = await database.store.settlements.findReceipt(order.request)
    expect(receipt).toMatchObject({ account: "account", key: "key", body: '{"receipt":1}' })
    expect(receipt?.entry).toMatchObject({ kind: "charge", amount: -25n, balance: 75n, number: 2 })
  })

  test("leaves a receipt without an entry if the cost is zero", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 10n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 5n)
    const order = database.order(payer, 5n)
    await ledger.settle(ledger.tryHold(order)!, 0n, () => "{}")
    expect(await database.store.settlements.findReceipt(order.request)).toMatchObject({
      body: "{}",
      entry: null,
    })
    expect(await database.store.entries.list("account", 1, 10)).toEqual([])
  })

  test("uses the available balance for a cost above its hold", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 10n)
    const hold = ledger.tryHold(database.order(payer, 10n))!
    const settlement = await ledger.settle(hold, 70n, () => "{}")
    expect(settlement).toEqual({ charged: 70n, writtenOff: 0n, balance: 30n })
    expect(ledger.available(payer)).toBe(30n)
    expect(database.alarms.writtenOffs).toEqual([])
  })

  test("writes off the amount above the maximum possible usage", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 100n)
    const order = database.order(payer, 10n)
    const beyond = { amount: 5_000n, reason: "usage_beyond_bound" } as const
    const hold = ledger.tryHold(order)!
    const settlement = await ledger.settle(hold, 130n, () => "{}", beyond)
    expect(settlement).toEqual({ charged: 100n, writtenOff: 5_030n, balance: 0n })
    const written = [{ amount: 30n, reason: "account_empty" } as const, beyond]
    const { request } = order
    expect(database.alarms.writtenOffs).toEqual(written.map((one) => ({ request, ...one })))
    expect((await database.store.settlements.findReceipt(request))?.writtenOff).toEqual(written)
    expect(await database.store.settlements.listWriteOffs(["account"], null, 10)).toMatchObject([
      { number: 2, account: "account", key: "key", request, ...beyond },
      { number: 1, reason: "account_empty" },
    ])
    expect(await database.store.settlements.listWriteOffs(["another"], null, 10)).toEqual([])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("writes off the amount above the whole balance, and does not affect other holds", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 100n)
    const other = ledger.tryHold(database.order(payer, 30n))!
    const order = database.order(payer, 10n)
    const settlement = await ledger.settle(ledger.tryHold(order)!, 1_000n, () => "{}")
    expect(settlement).toEqual({ charged: 70n, writtenOff: 930n, balance: 30n })
    const { request } = order
    const writtenOff = { amount: 930n, reason: "account_empty" } as const
    expect(database.alarms.writtenOffs).toEqual([{ request, ...writtenOff }])
    expect((await database.store.settlements.findReceipt(request))?.writtenOff).toEqual([
      writtenOff,
    ])
    expect((await ledger.settle(other, 30n, () => "{}")).charged).toBe(30n)
    expect(await database.balanceOf("account")).toBe(0n)
  })

  test("ends its hold only once, whether or not it charges", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 100n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    const first = ledger.settle(hold, 20n, () => "{}")
    await expect(ledger.settle(hold, 20n, () => "{}")).rejects.toThrow("has ended already")
    await expect(ledger.settle(hold, 0n, () => "{}")).rejects.toThrow("has ended already")
    await first
    expect(ledger.available(payer)).toBe(80n)
    const released = ledger.tryHold(database.order(payer, 60n))!
    await ledger.settle(released, 0n, () => "{}")
    await expect(ledger.settle(released, 1n, () => "{}")).rejects.toThrow("has ended already")
    expect(ledger.available(payer)).toBe(80n)
  })

  test("charges nothing and returns the same result when it is repeated", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 100n)
    await database.ledger("node")
    await database.store.leases.take({ node: "node", owner: "account", wanted: 100n, min: 1n })
    const batch = batchOf(
      { ...CHARGE, request: "first", amount: 30n },
      { ...CHARGE, request: "second", amount: 0n },
    )
    const first = await database.store.settlements.post("node", batch)
    expect(first.map(({ charged }) => charged)).toEqual([30n, 0n])
    const again = await database.store.settlements.post("node", batch)
    expect(again.map(({ charged }) => charged)).toEqual([30n, 0n])
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 70n,
      leased: 70n,
    })
    expect(await database.store.entries.list("account", 0, 10)).toHaveLength(2)
  })

  test("charges once even if a batch contains it twice", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 100n)
    await database.ledger("node")
    await database.store.leases.take({ node: "node", owner: "account", wanted: 100n, min: 1n })
    const postings = ["one", "two", "one"].map((request) => ({ ...CHARGE, request, amount: 30n }))
    const posted = await database.store.settlements.post("node", batchOf(...postings))
    expect(posted.map(({ charged }) => charged)).toEqual([30n, 30n, 30n])
    expect(await database.store.accounts.find("account")).toMatchObject({ balance: 40n })
  })

  test("succeeds after other writers, and after a failed batch", async () => {
    await using database = TestDatabase.direct()
    await database.account("account", 100n)
    await database.ledger("node")
    await database.store.leases.take({ node: "node", owner: "account", wanted: 60n, min: 1n })
    const post = (request: string) =>
      database.store.settlements.post("node", batchOf({ ...CHARGE, request }))
    await post("first")
    await database.grant("account", 5n)
    await post("after a grant")
    const failing = batchOf(
      { ...CHARGE, request: "lost" },
      { ...CHARGE, request: "of nobody", account: "nobody" },
    )
    await expect(database.store.settlements.post("node", failing)).rejects.toThrow("FOREIGN KEY")
    await post("after a failure")
    const entries = await database.store.entries.list("account", 0, 10)
    expect(entries.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("can alternate with settlements of another process in the same ledger", async () => {
    await using database = await TestDatabase.open()
    const other = await database.another()
    await database.account("account", 100n)
    await database.ledger("left")
    await database.ledger("right")
    for (const [store, node] of [
      [database.store, "left"],
      [other, "right"],
    ] as const) {
      await store.leases.take({ node, owner: "account", wanted: 40n, min: 1n })
    }
    for (let turn = 0; turn < 6; turn++) {
      const [store, node] = turn % 2 === 0 ? [database.store, "left"] : [other, "right"]
      await store.settlements.post(node, batchOf({ ...CHARGE, request: `req_${turn}` }))
    }
    const entries = await database.store.entries.list("account", 0, 10)
    expect(entries.map(({ request }) => request)).toEqual([
      null,
      ...Array.from({ length: 6 }, (_, turn) => `req_${turn}`),
    ])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("adds its entries in order, regardless of the number of settlements in a batch", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 10_000n)
    await database.ledger("node")
    await database.store.leases.take({ node: "node", owner: "account", wanted: 10_000n, min: 1n })
    let lines = 1
    for (const count of [1, 31, 64, 75]) {
      const postings = Array.from({ length: count }, (_, index) => {
        const request = `req_${count}_${index}`
        return { ...CHARGE, request, receipt: `receipt of ${request}` }
      })
      await database.store.settlements.post("node", batchOf(...postings))
      const entries = await database.store.entries.list("account", lines, 100)
      expect(entries.map(({ request }) => request)).toEqual(postings.map(({ request }) => request))
      lines += count
    }
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })
})
