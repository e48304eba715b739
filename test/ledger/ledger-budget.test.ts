import { describe, expect, test } from "bun:test"
import { Book, payerOf } from "../store/book.ts"

describe("a key's budget", () => {
  test("is as exact as a balance", async () => {
    await using book = Book.direct()
    await book.account("account", 1_000n)
    await book.key("thrifty", "account", 50n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 40n)
    const hold = ledger.tryHold(book.order(payer, 40n))!
    expect(ledger.available(payer)).toBe(10n)
    expect(ledger.tryHold(book.order(payer, 11n))).toBeUndefined()
    await ledger.settle(hold, 15n, () => "{}")
    expect(ledger.available(payer)).toBe(35n)
    const [account, budget] = ledger.snapshot(payer)
    expect(account).toEqual({ owner: "account", posted: 985n, available: 985n, debt: 0n })
    expect(budget).toEqual({ owner: "thrifty", posted: 35n, available: 35n, debt: 0n })
    expect((await book.store.keys.find("thrifty"))?.budgetLeft).toBe(35n)
  })

  test("limits a cost above its hold", async () => {
    await using book = Book.direct()
    await book.account("account", 1_000n)
    await book.key("thrifty", "account", 50n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 10n)
    const settlement = await ledger.settle(ledger.tryHold(book.order(payer, 10n))!, 80n, () => "{}")
    expect(settlement).toEqual({ charged: 50n, writtenOff: 30n, balance: 950n })
    expect(book.alarms.writtenOffs).toMatchObject([{ amount: 30n, reason: "budget_empty" }])
  })

  test("is not overdrawn when its lease was lost", async () => {
    await using book = Book.direct()
    await book.account("account", 1_000n)
    await book.key("thrifty", "account", 50n)
    const payer = payerOf("account", "thrifty", ["thrifty"])
    const suspended = await book.ledger("suspended")
    await suspended.lease(payer, 50n)
    const hold = suspended.tryHold(book.order(payer, 50n))!
    await book.store.nodes.remove("suspended", 1)
    await book.ledger("third, so that nobody leases all of the account")
    const other = await book.ledger("other")
    await other.lease(payer, 30n)
    await other.settle(other.tryHold(book.order(payer, 30n))!, 30n, () => "{}")
    expect(await suspended.settle(hold, 50n, () => "{}")).toMatchObject({
      charged: 20n,
      writtenOff: 30n,
    })
    expect((await book.store.keys.find("thrifty"))?.budgetLeft).toBe(0n)
    expect(await book.balanceOf("account")).toBe(950n)
  })
})

describe("a lease that was lost while the process was suspended", () => {
  test("is drawn from what no one has leased", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(book.order(payer, 60n))!
    await book.store.nodes.remove("node", 1)
    expect(await ledger.settle(hold, 60n, () => "{}")).toMatchObject({ charged: 60n, balance: 40n })
  })

  test("never takes another node's share", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const suspended = await book.ledger("suspended")
    await suspended.lease(payer, 60n)
    const hold = suspended.tryHold(book.order(payer, 60n))!
    await book.store.nodes.remove("suspended", 1)
    const other = await book.ledger("other")
    await other.lease(payer, 90n)
    const theirs = other.tryHold(book.order(payer, 90n))!
    expect((await suspended.settle(hold, 60n, () => "{}")).charged).toBe(0n)
    expect((await other.settle(theirs, 90n, () => "{}")).charged).toBe(90n)
    expect(await book.balanceOf("account")).toBe(10n)
  })

  test("is leased again for the holds that are open, before anything else", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(book.order(payer, 60n))!
    await book.store.nodes.remove("node", 1)
    await book.ledger("node")
    ledger.forgetLeases()
    expect(await ledger.lease(payer, 41n)).toBeUndefined()
    expect(ledger.tryHold(book.order(payer, 41n))).toBeUndefined()
    const further = ledger.tryHold(book.order(payer, 40n))!
    expect((await ledger.settle(further, 40n, () => "{}")).charged).toBe(40n)
    expect((await ledger.settle(hold, 60n, () => "{}")).charged).toBe(60n)
    expect(book.alarms.writtenOffs).toEqual([])
  })

  test("leaves leased balance and ledger in step when the open holds end first", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 60n)
    const hold = ledger.tryHold(book.order(payer, 60n))!
    await book.store.nodes.remove("node", 1)
    await book.ledger("node")
    ledger.forgetLeases()
    await ledger.settle(hold, 60n, () => "{}")
    await ledger.lease(payer, 40n)
    expect(ledger.available(payer)).toBe(40n)
    expect(await book.store.accounts.find("account")).toMatchObject({ balance: 40n, leased: 40n })
  })

  test("is waited for by new requests until the node has joined again", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const ledger = await book.ledger("node")
    await book.store.nodes.remove("node", 1)
    const placing = ledger.extend(payer, 10n, () => ledger.tryHold(book.order(payer, 10n)))
    await book.ledger("node")
    expect(await placing).toBeDefined()
  })
})

test("closing writes what has ended; the leases go back with the node", async () => {
  await using book = Book.direct()
  const payer = await book.account("account", 100n)
  const ledger = await book.ledger("node")
  await ledger.lease(payer, 50n)
  const settling = ledger.settle(ledger.tryHold(book.order(payer, 50n))!, 50n, () => "{}")
  await ledger.close()
  expect(await Promise.race([settling, "pending"])).toMatchObject({ charged: 50n })
  await ledger.close()
  await book.store.nodes.remove("node", 1)
  expect(await book.store.accounts.find("account")).toMatchObject({ balance: 50n, leased: 0n })
})
