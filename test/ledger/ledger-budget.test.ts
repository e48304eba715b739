import { describe, expect, test } from "bun:test"
import { TestDatabase, payerOf } from "../store/test-database.ts"

describe("a key's budget", () => {
  test("has a reserved and a spent amount, like a balance", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 1_000n)
    await database.key("thrifty", "account", 50n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 40n)
    const hold = ledger.tryHold(database.order(payer, 40n))!
    expect(ledger.available(payer)).toBe(10n)
    expect(ledger.tryHold(database.order(payer, 11n))).toBeUndefined()
    await ledger.settle(hold, 15n, () => "{}")
    expect(ledger.available(payer)).toBe(35n)
    const [account, budget] = ledger.snapshot(payer)
    expect(account).toEqual({ owner: "account", posted: 985n, available: 985n, debt: 0n })
    expect(budget).toEqual({ owner: "thrifty", posted: 35n, available: 35n, debt: 0n })
    expect((await database.store.keys.find("thrifty"))?.budgetLeft).toBe(35n)
  })

  test("limits the charge for a cost above the hold", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 1_000n)
    await database.key("thrifty", "account", 50n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 10n)
    const settlement = await ledger.settle(
      ledger.tryHold(database.order(payer, 10n))!,
      80n,
      () => "{}",
    )
    expect(settlement).toEqual({ charged: 50n, writtenOff: 30n, balance: 950n })
    expect(database.alarms.writtenOffs).toMatchObject([{ amount: 30n, reason: "budget_empty" }])
  })

  test("never becomes negative, even if the lease was lost", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 1_000n)
    await database.key("thrifty", "account", 50n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const suspended = await database.ledger("suspended")
    await suspended.lease(payer, 50n)
    const hold = suspended.tryHold(database.order(payer, 50n))!
    await database.store.nodes.remove("suspended", 1)
    await database.ledger("third, so that nobody leases all of the account")
    const other = await database.ledger("other")
    await other.lease(payer, 30n)
    await other.settle(other.tryHold(database.order(payer, 30n))!, 30n, () => "{}")
    expect(await suspended.settle(hold, 50n, () => "{}")).toMatchObject({
      charged: 20n,
      writtenOff: 30n,
    })
    expect((await database.store.keys.find("thrifty"))?.budgetLeft).toBe(0n)
    expect(await database.balanceOf("account")).toBe(950n)
  })
})

describe("the replacement of a lease that was lost while the process was suspended", () => {
  test("uses unleased credits for the charge", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    await database.store.nodes.remove("node", 1)
    expect(await ledger.settle(hold, 60n, () => "{}")).toMatchObject({ charged: 60n, balance: 40n })
  })

  test("never uses another node's share", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const suspended = await database.ledger("suspended")
    await suspended.lease(payer, 60n)
    const hold = suspended.tryHold(database.order(payer, 60n))!
    await database.store.nodes.remove("suspended", 1)
    const other = await database.ledger("other")
    await other.lease(payer, 90n)
    const theirs = other.tryHold(database.order(payer, 90n))!
    expect((await suspended.settle(hold, 60n, () => "{}")).charged).toBe(0n)
    expect((await other.settle(theirs, 90n, () => "{}")).charged).toBe(90n)
    expect(await database.balanceOf("account")).toBe(10n)
  })

  test("reserves credits for open holds before new holds", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    await database.store.nodes.remove("node", 1)
    await database.ledger("node.2")
    ledger.rejoin("node.2")
    expect(await ledger.lease(payer, 41n)).toBeUndefined()
    expect(ledger.tryHold(database.order(payer, 41n))).toBeUndefined()
    const further = ledger.tryHold(database.order(payer, 40n))!
    expect((await ledger.settle(further, 40n, () => "{}")).charged).toBe(40n)
    expect((await ledger.settle(hold, 60n, () => "{}")).charged).toBe(60n)
    expect(database.alarms.writtenOffs).toEqual([])
  })

  test("has the same balance as the ledger even if open holds end before it", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(database.order(payer, 60n))!
    await database.store.nodes.remove("node", 1)
    await database.ledger("node.2")
    ledger.rejoin("node.2")
    await ledger.settle(hold, 60n, () => "{}")
    await ledger.lease(payer, 40n)
    expect(ledger.available(payer)).toBe(40n)
    expect(await database.store.accounts.find("account")).toMatchObject({
      balance: 40n,
      leased: 40n,
    })
  })

  test("delays new requests until a removed node has joined again", async () => {
    await using database = await TestDatabase.open()
    const payer = await database.account("account", 100n)
    const ledger = await database.ledger("node")
    await database.store.nodes.remove("node", 1)
    const placing = ledger.extend(payer, 10n, () => ledger.tryHold(database.order(payer, 10n)))
    await database.ledger("node")
    expect(await placing).toBeDefined()
  })
})

test("a ledger that closes writes its pending settlements, and removing its node returns the leases", async () => {
  await using database = await TestDatabase.open()
  const payer = await database.account("account", 100n)
  const ledger = await database.ledger("node")
  await ledger.lease(payer, 50n)
  const settling = ledger.settle(ledger.tryHold(database.order(payer, 50n))!, 50n, () => "{}")
  await ledger.close()
  expect(await Promise.race([settling, "pending"])).toMatchObject({ charged: 50n })
  await ledger.close()
  await database.store.nodes.remove("node", 1)
  expect(await database.store.accounts.find("account")).toMatchObject({ balance: 50n, leased: 0n })
})
