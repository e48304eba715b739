import { describe, expect, test } from "bun:test"
import { AUDIT } from "./audit-record.ts"
import type { NewCode } from "../../src/store/codes.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { Book, payerOf } from "./book.ts"
import { until } from "../support/until.ts"

const DAY = 24 * 60 * 60 * 1_000

function codeOf(id: string, changes: Partial<NewCode> = {}): NewCode {
  return {
    id,
    hash: `hash of ${id}`,
    hint: "WXYZ",
    note: null,
    amount: 5n,
    uses: 2,
    createdAt: 10,
    expiresAt: null,
    author: "me",
    ...changes,
  }
}

function redemption(id: string, account: string, at = 20) {
  return { hash: `hash of ${id}`, account, at, author: "ada" }
}

describe("an account", () => {
  test("changes its name and what is kept of it, each alone", async () => {
    await using book = Book.direct()
    await book.account("a", 7n)
    expect(await book.store.accounts.update("a", { name: "new" }, AUDIT)).toMatchObject({
      name: "new",
      storesContent: false,
      balance: 7n,
    })
    await book.store.accounts.update("a", { storesContent: true }, AUDIT)
    expect(await book.store.accounts.find("new")).toMatchObject({ id: "a", storesContent: true })
  })

  test("takes no name that another has, and there has to be one", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    await book.account("b", 0n)
    const taken = book.store.accounts.update("a", { name: "name of b" }, AUDIT)
    await expect(taken).rejects.toMatchObject({ code: "exists" })
    expect(await book.store.accounts.update("a", { name: "name of a" }, AUDIT)).toMatchObject({
      id: "a",
    })
    await expect(book.store.accounts.update("x", {}, AUDIT)).rejects.toMatchObject({
      code: "not_found",
    })
  })

  test("never holds more than the book can count", async () => {
    await using book = Book.direct()
    await book.account("a", 2n ** 63n - 1n)
    await expect(book.grant("a", 1n)).rejects.toMatchObject({ code: "too_much" })
    expect(await book.balanceOf("a")).toBe(2n ** 63n - 1n)
  })
})

describe("a code", () => {
  test("gives each account its credits once, as often as it may be used", async () => {
    await using book = Book.direct()
    for (const id of ["a", "b", "c"]) await book.account(id, 0n)
    await book.store.codes.create(codeOf("code"), AUDIT)
    expect(await book.store.codes.redeem(redemption("code", "a"), AUDIT)).toMatchObject({
      kind: "code",
      amount: 5n,
      balance: 5n,
      note: "code",
      author: "ada",
      at: 20,
    })
    const again = book.store.codes.redeem(redemption("code", "a"), AUDIT)
    await expect(again).rejects.toMatchObject({ code: "exists" })
    await book.store.codes.redeem(redemption("code", "b"), AUDIT)
    const late = book.store.codes.redeem(redemption("code", "c"), AUDIT)
    await expect(late).rejects.toMatchObject({ code: "insufficient" })
    expect(await book.store.codes.find("code")).toMatchObject({ used: 2, uses: 2 })
    expect(await book.balanceOf("c")).toBe(0n)
    expect((await verifyLedgers(book.store)).problems).toEqual([])
  })

  test("of one use is used once, whoever comes at the same moment", async () => {
    await using book = Book.direct()
    const stores = [await book.threaded(), await book.threaded()]
    for (let index = 0; index < 10; index++) await book.account(`a${index}`, 0n)
    await book.store.codes.create(codeOf("code", { uses: 1 }), AUDIT)
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        stores[index % 2]!.codes.redeem(redemption("code", `a${index}`), AUDIT),
      ),
    )
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  test("is refused when it is unknown, revoked or expired, or nobody is to get it", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    await book.store.codes.create(codeOf("old", { expiresAt: 20 }), AUDIT)
    await book.store.codes.create(codeOf("ended"), AUDIT)
    await book.store.codes.revoke("ended", 15, AUDIT)
    for (const [code, refusal] of [
      ["none", "not_found"],
      ["old", "expired"],
      ["ended", "revoked"],
    ] as const) {
      const redeeming = book.store.codes.redeem(redemption(code, "a"), AUDIT)
      await expect(redeeming).rejects.toMatchObject({ code: refusal })
    }
    expect(await book.store.codes.redeem(redemption("old", "a", 19), AUDIT)).toMatchObject({
      amount: 5n,
    })
    await book.store.codes.create(codeOf("fresh"), AUDIT)
    const nobody = book.store.codes.redeem(redemption("fresh", "nobody"), AUDIT)
    await expect(nobody).rejects.toMatchObject({ code: "not_found" })
    await expect(book.store.codes.revoke("none", 1, AUDIT)).rejects.toMatchObject({
      code: "not_found",
    })
    expect(await book.store.codes.revoke("ended", 99, AUDIT)).toMatchObject({ revokedAt: 15 })
  })

  test("is listed with the newest first, page by page", async () => {
    await using book = Book.direct()
    for (const [id, createdAt] of Object.entries({ a: 1, b: 2, c: 2, d: 3 })) {
      await book.store.codes.create(codeOf(id, { createdAt }), AUDIT)
    }
    const first = await book.store.codes.list(null, 2)
    expect(first.map(({ id }) => id)).toEqual(["d", "c"])
    const second = await book.store.codes.list("c", 2)
    expect(second.map(({ id }) => id)).toEqual(["b", "a"])
    expect(JSON.stringify(first, (_, value) => String(value))).not.toContain("hash")
  })
})

test("a payment that is told again is one entry", async () => {
  await using book = Book.direct()
  await book.account("a", 0n)
  await book.account("b", 0n)
  const payment = { id: "pay_1", account: "a", amount: 9n, at: 3, note: "card" }
  const entry = await book.store.payments.add(payment, AUDIT)
  expect(entry).toMatchObject({ kind: "payment", amount: 9n, note: "card", number: 1 })
  const again = [payment, { ...payment, account: "b", at: 8 }]
  for (const told of again) {
    await expect(book.store.payments.add(told, AUDIT)).rejects.toMatchObject({ code: "exists" })
  }
  await book.store.payments.add({ ...payment, id: "pay_2" }, AUDIT)
  expect([await book.balanceOf("a"), await book.balanceOf("b")]).toEqual([18n, 0n])
})

test("a payment that is told again leaves no line in the audit log", async () => {
  await using book = Book.direct()
  await book.account("a", 0n)
  const payment = { id: "pay_1", account: "a", amount: 9n, at: 3, note: "card" }
  const record = {
    at: 3,
    actorKind: "command" as const,
    actorId: null,
    actorName: "stripe",
    action: "account.payment",
    account: "a",
    target: "pay_1",
    before: null,
    after: null,
    address: null,
  }
  await book.store.payments.add(payment, record)
  const again = book.store.payments.add(payment, record)
  await expect(again).rejects.toMatchObject({ code: "exists" })
  expect(await book.store.audit.list({ actor: "stripe" }, null, 10)).toHaveLength(1)
  expect(await book.balanceOf("a")).toBe(9n)
})

describe("entries", () => {
  test("are listed from the newest back, all or of one kind", async () => {
    await using book = Book.direct()
    const payer = await book.account("a", 100n)
    const ledger = await book.ledger("node")
    for (const cost of [1n, 2n]) {
      await ledger.lease(payer, 5n)
      await ledger.settle(ledger.tryHold(book.order(payer, 5n))!, cost, () => "{}")
      await book.grant("a", 1n)
    }
    const numbers = async (...order: Parameters<typeof book.store.entries.listBack>) =>
      (await book.store.entries.listBack(...order)).map(({ number }) => number)
    expect(await numbers("a", null, 3, null)).toEqual([5, 4, 3])
    expect(await numbers("a", 3, 3, null)).toEqual([2, 1])
    expect(await numbers("a", null, 9, "charge")).toEqual([4, 2])
    expect(await numbers("a", 4, 9, "charge")).toEqual([2])
    expect(await numbers("b", null, 9, null)).toEqual([])
  })

  test("of a time are found, though charges stand where their requests ended", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    const times = [10, 12, 11.5, 12, 14, 13.1, 14, 15, 15, 16].map((day) => day * DAY)
    for (const at of times) {
      const entry = { account: "a", kind: "grant" as const, amount: 1n, at }
      await book.store.entries.add({ ...entry, note: null, author: null }, AUDIT)
    }
    for (let from = 9 * DAY; from < 18 * DAY; from += DAY / 2) {
      for (const length of [0, DAY / 2, 3 * DAY]) {
        const until = from + length
        const { after, last } = await book.store.entries.findRange("a", from, until)
        times.forEach((at, index) => {
          const number = index + 1
          if (number <= after) expect(at).toBeLessThan(from)
          if (number > last) expect(at).toBeGreaterThanOrEqual(until)
        })
      }
    }
    expect(await book.store.entries.findRange("nobody", 0, DAY)).toEqual({ after: 0, last: 0 })
  })

  test("tell a statement the key and the model of a charge", async () => {
    await using book = Book.direct()
    const payer = await book.account("a", 100n)
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 5n)
    const order = book.order(payer, 5n)
    await ledger.settle(ledger.tryHold(order)!, 3n, () => '{"model":"sim/echo"}')
    expect(await book.store.entries.listStatementLines("a", 0, 9)).toMatchObject([
      { number: 1, kind: "grant", key: null, model: null },
      { number: 2, kind: "charge", key: "key", model: "sim/echo", request: order.request },
    ])
  })
})

test("holds that last are listed, those of other accounts are not", async () => {
  await using book = Book.direct()
  await book.account("a", 100n)
  const node = { id: "node", process: 1, host: "test", beatAt: 1, machine: null }
  await book.store.nodes.join(node)
  const hold = { request: "r1", account: "a", key: "key", amount: 4n, at: 5, receipt: "{}" }
  const opened = [hold, { ...hold, request: "r2", account: "b" }]
  await book.store.settlements.post("node", { postings: [], opened, closed: [] })
  expect(await book.store.settlements.listHolds("a")).toEqual([hold])
  await book.store.settlements.post("node", { postings: [], opened: [], closed: ["r1"] })
  expect(await book.store.settlements.listHolds("a")).toEqual([])
})

describe("what is recalled", () => {
  test("is not leased again while it is to be taken out", async () => {
    await using book = Book.direct()
    const payer = await book.account("a", 100n)
    const ledger = await book.ledger("node")
    await ledger.lease(payer, 10n)
    expect(ledger.available(payer)).toBe(100n)
    expect(await book.store.leases.recall("a", 60n)).toBe(0n)
    const { recalls } = await book.store.nodes.poll("node", null)
    expect(recalls).toEqual(["a"])
    await ledger.tick(recalls)
    expect(await book.store.leases.recall("a", 60n)).toBe(100n)
    expect(await ledger.lease(payer, 41n)).toBeUndefined()
    expect(await ledger.lease(payer, 40n)).toBe(true)
    await book.store.leases.endRecall("a")
    expect(await ledger.lease(payer, 100n)).toBe(true)
  })

  test("can be leased again when nobody has asked for half a second", async () => {
    await using book = Book.direct()
    const payer = payerOf("a")
    await book.account("a", 100n)
    await book.store.leases.recall("a", 60n)
    const ledger = await book.ledger("node")
    expect(await ledger.lease(payer, 100n)).toBeUndefined()
    await until(async () => (await ledger.lease(payer, 100n)) === true)
  })
})
