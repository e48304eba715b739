import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test"
import { AUDIT } from "../store/audit-record.ts"
import { budgetOwner } from "../../src/accounting/budget-periods.ts"
import { labelHolder, userLabel } from "../../src/accounting/label-budgets.ts"
import type { Payer } from "../../src/accounting/payer.ts"
import type { Store } from "../../src/store/store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { payerOf, TestDatabase } from "../store/test-database.ts"
import { payersOf } from "../../src/keys/key.ts"

const MORNING = new Date("2026-11-29T08:00:00Z")
const NEXT_MORNING = new Date("2026-11-30T08:00:00Z")
const NEXT_MONTH = new Date("2026-12-01T08:00:00Z")

beforeEach(() => void setSystemTime(MORNING))
afterEach(() => void setSystemTime())

/**
 * Returns the payer of a key that may spend 50 in total, 20 per day and 30 per month. Its account has enough credits.
 */
async function thrifty(database: TestDatabase): Promise<(now: number) => Payer> {
  await database.account("a", 1_000n)
  const periods = { dailyBudget: 20n, monthlyBudget: 30n }
  return payersOf(await database.key("key_x", "a", 50n, periods))
}

async function left(database: TestDatabase): Promise<(bigint | null)[]> {
  const key = await database.store.keys.find("key_x")
  return [key!.budgetLeft, key!.dailyLeft, key!.monthlyLeft]
}

describe("daily and monthly budgets", () => {
  test("limit a request together, and the smallest remaining budget applies", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const ledger = await database.ledger("node")
    expect(await left(database)).toEqual([50n, 20n, 30n])
    const payer = payerAt(Date.now())
    expect(await ledger.lease(payer, 21n)).toBeUndefined()
    expect(await ledger.lease(payer, 20n)).toBe(true)
    const hold = ledger.tryHold(database.order(payer, 15n))!
    expect(ledger.available(payer)).toBe(5n)
    expect((await ledger.settle(hold, 12n, () => "{}")).charged).toBe(12n)
    expect(await left(database)).toEqual([38n, 8n, 18n])
    expect(ledger.snapshot(payer).map(({ posted }) => posted)).toEqual([988n, 38n, 8n, 18n])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("do not need a reset when a period begins", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const ledger = await database.ledger("node")
    const spend = async (cost: bigint): Promise<bigint> => {
      const payer = payerAt(Date.now())
      await ledger.lease(payer, cost)
      const hold = ledger.tryHold(database.order(payer, cost))
      return hold ? (await ledger.settle(hold, cost, () => "{}")).charged : 0n
    }
    expect(await spend(20n)).toBe(20n)
    expect(await spend(1n)).toBe(0n)
    setSystemTime(NEXT_MORNING)
    expect(await left(database)).toEqual([30n, 20n, 10n])
    expect(await spend(11n)).toBe(0n)
    expect(await spend(10n)).toBe(10n)
    setSystemTime(NEXT_MONTH)
    expect(await left(database)).toEqual([20n, 20n, 30n])
    expect(await spend(20n)).toBe(20n)
    expect(await left(database)).toEqual([0n, 0n, 10n])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("charge a request to the period in which its hold was placed", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const ledger = await database.ledger("node")
    const payer = payerAt(Date.now())
    await ledger.lease(payer, 20n)
    const hold = ledger.tryHold(database.order(payer, 10n))!
    const late = database.order(payer, 5n)
    setSystemTime(NEXT_MORNING)
    // The hold was requested before midnight and is processed after it.
    const lateHold = ledger.tryHold(late)!
    await ledger.tick([])
    await ledger.settle(hold, 12n, () => "{}")
    await ledger.settle(lateHold, 5n, () => "{}")
    expect(await left(database)).toEqual([33n, 20n, 13n])
    const receipts = await Promise.all(
      [hold, lateHold].map((one) => database.store.settlements.findReceipt(one.request)),
    )
    for (const receipt of receipts) expect(receipt?.budgets).toContain("key_x@2026-11-29")
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("return their leases and disappear when their period and their last request have ended", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const ledger = await database.ledger("node")
    const payer = payerAt(Date.now())
    await ledger.lease(payer, 20n)
    const hold = ledger.tryHold(database.order(payer, 0n))!
    setSystemTime(NEXT_MORNING)
    await ledger.tick([])
    expect(ledger.available(payer)).toBe(20n)
    // A hold of zero can still be increased.
    expect((await ledger.settle(hold, 3n, () => "{}")).charged).toBe(3n)
    await ledger.tick([])
    expect(ledger.available(payer)).toBe(0n)
    const other = await database.ledger("other")
    expect(await other.lease(payer, 17n)).toBeUndefined()
    await ledger.tick((await database.store.nodes.poll("node", null)).recalls)
    expect(await other.lease(payer, 17n)).toBe(true)
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("remain while a request waits for one of their leases", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const store: Store = {
      ...database.store,
      // The requested lease is not available, so only the remaining credits are leased.
      leases: {
        ...database.store.leases,
        take: async (order) => {
          if (order.min === 1n && order.owner.includes("@2026-11-29")) {
            asked.resolve()
            await gate.promise
          }
          return database.store.leases.take(order)
        },
      },
    }
    const ledger = await database.ledger("node", store)
    const payer = payerAt(Date.now())
    const extending = ledger.lease(payer, 25n)
    await asked.promise
    setSystemTime(NEXT_MORNING)
    await ledger.tick([])
    gate.resolve()
    expect(await extending).toBeUndefined()
    expect(ledger.available(payer)).toBe(20n)
    await ledger.tick([])
    expect(await database.store.leases.recall("key_x@2026-11-29", 0n)).toBe(20n)
  })

  test("return their leases if the leasing process has died", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const payer = payerAt(Date.now())
    const dead = await database.ledger("dead")
    await dead.lease(payer, 20n)
    await database.store.nodes.remove("dead", Date.now())
    const ledger = await database.ledger("node")
    expect(await ledger.lease(payer, 20n)).toBe(true)
  })
})

describe("a key with a budget", () => {
  test("gains or loses the difference when its budget is changed", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const ledger = await database.ledger("node")
    const payer = payerAt(Date.now())
    await ledger.lease(payer, 10n)
    await ledger.settle(ledger.tryHold(database.order(payer, 8n))!, 8n, () => "{}")
    await database.store.nodes.remove("node", Date.now())
    await database.store.keys.update(
      "key_x",
      { budget: 40n, dailyBudget: 30n, monthlyBudget: 9n },
      AUDIT,
    )
    expect(await left(database)).toEqual([32n, 22n, 1n])
    // If the limit is below the spent amount, nothing is left. The spent amount stays recorded.
    await database.store.keys.update(
      "key_x",
      { budget: 5n, dailyBudget: 5n, monthlyBudget: 5n },
      AUDIT,
    )
    expect(await left(database)).toEqual([0n, 0n, 0n])
    await database.store.keys.update(
      "key_x",
      { budget: 10n, dailyBudget: null, monthlyBudget: 7n },
      AUDIT,
    )
    expect(await left(database)).toEqual([2n, null, 0n])
    await database.store.keys.update("key_x", { dailyBudget: 9n }, AUDIT)
    expect(await left(database)).toEqual([2n, 1n, 0n])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("keeps the part of its budget that running requests hold when its budget is reduced", async () => {
    await using database = await TestDatabase.open()
    const payerAt = await thrifty(database)
    const ledger = await database.ledger("node")
    const payer = payerAt(Date.now())
    await ledger.lease(payer, 20n)
    const hold = ledger.tryHold(database.order(payer, 20n))!
    await database.store.keys.update("key_x", { budget: 1n, dailyBudget: 1n }, AUDIT)
    expect((await ledger.settle(hold, 20n, () => "{}")).charged).toBe(20n)
    await database.store.keys.update("key_x", { name: "other" }, AUDIT)
    expect(await left(database)).toEqual([0n, 0n, 10n])
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })

  test("can get its first budget in a change", async () => {
    await using database = await TestDatabase.open()
    const plain = await database.account("a", 100n)
    await database.key("key", "a", null)
    const ledger = await database.ledger("node")
    await ledger.lease(plain, 10n)
    await ledger.settle(ledger.tryHold(database.order(plain, 10n))!, 10n, () => "{}")
    const record = await database.store.keys.update("key", { budget: 5n, dailyBudget: 5n }, AUDIT)
    expect(record).toMatchObject({ budgetLeft: 5n, dailyLeft: 5n, monthlyLeft: null })
    const payer = payersOf(record)(Date.now())
    await ledger.lease(payer, 5n)
    await ledger.settle(ledger.tryHold(database.order(payer, 4n))!, 4n, () => "{}")
    expect(await database.store.keys.find("key")).toMatchObject({ budgetLeft: 1n, dailyLeft: 1n })
    expect((await verifyLedgers(database.store)).problems).toEqual([])
  })
})

test("verification detects a manipulated budget", async () => {
  await using database = TestDatabase.direct()
  const payerAt = await thrifty(database)
  const ledger = await database.ledger("node")
  const payer = payerAt(Date.now())
  await ledger.lease(payer, 10n)
  await ledger.settle(ledger.tryHold(database.order(payer, 8n))!, 8n, () => "{}")
  database.change("UPDATE balances SET posted = posted + 1 WHERE owner = 'key_x@2026-11-29'")
  const { problems } = await verifyLedgers(database.store)
  expect(problems).toMatchObject([{ account: "a", number: null, fault: "budget" }])
  expect(problems[0]?.message).toContain("key_x@2026-11-29")
})

test("the oldest unused budgets of end users are evicted from memory first", async () => {
  await using database = await TestDatabase.open()
  await database.account("a", 1_000_000_000n)
  const labelBudgets = [{ label: userLabel("*"), dailyBudget: "10" }]
  await database.store.accounts.update("a", { labelBudgets }, AUDIT)
  const ledger = await database.ledger("node")
  const payer = (user: string): Payer =>
    payerOf("a", "k", [budgetOwner(labelHolder("a", userLabel(user)), "day", Date.now())])
  await ledger.lease(payer("busy"), 1n)
  const hold = ledger.tryHold(database.order(payer("busy"), 1n))
  expect(hold).toBeDefined()
  for (let user = 0; user < 10_050; user++) await ledger.lease(payer(`user ${user}`), 1n)
  await ledger.tick([])
  expect(ledger.available(payer("user 0"))).toBe(0n)
  expect(ledger.available(payer("user 10000"))).toBe(10n)
  // A running request uses this budget.
  expect(ledger.available(payer("busy"))).toBe(9n)
  expect(await database.store.integrity.listBalanceFaults(Date.now())).toEqual([])
  expect(await ledger.lease(payer("user 0"), 10n)).toBe(true)
})
