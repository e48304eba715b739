import { expect, test } from "bun:test"
import {
  bitsOf,
  budgetOwner,
  endOfPeriod,
  ownersOfBits,
  readPeriodOwner,
} from "../../src/accounting/budget-periods.ts"
import { TestDatabase } from "../store/test-database.ts"
import { payersOf } from "../../src/keys/key.ts"

const NOON = Date.parse("2026-11-30T12:00:00Z")
const NEXT_DAY = Date.parse("2026-12-01T00:00:00Z")

test("a key without budgets always has the same payer", async () => {
  await using database = TestDatabase.direct()
  await database.account("a", 0n)
  const payerAt = payersOf(await database.key("key_x", "a", null))
  expect(payerAt(0)).toEqual({
    account: "a",
    key: "key_x",
    budgets: [],
    from: -Infinity,
    until: Infinity,
  })
  expect(payerAt(NOON)).toBe(payerAt(NEXT_DAY))
})

test("a daily or monthly budget has a different owner in each period", async () => {
  await using database = TestDatabase.direct()
  await database.account("a", 0n)
  const periods = { dailyBudget: 1n, monthlyBudget: 1n }
  const payerAt = payersOf(await database.key("key_x", "a", 5n, periods))
  const payer = payerAt(NOON)
  expect(payer.budgets).toEqual(["key_x", "key_x@2026-11-30", "key_x@2026-11"])
  expect(payer.until).toBe(NEXT_DAY)
  expect(payerAt(NEXT_DAY - 1)).toBe(payer)
  expect(payerAt(NEXT_DAY).budgets).toEqual(["key_x", "key_x@2026-12-01", "key_x@2026-12"])
  // If the clock is set back, the payer of the previous day is used.
  expect(payerAt(NOON)).toEqual(payer)
})

test("a monthly budget ends with its month, regardless of the day", async () => {
  await using database = TestDatabase.direct()
  await database.account("a", 0n)
  const payerAt = payersOf(await database.key("key_x", "a", null, { monthlyBudget: 1n }))
  const payer = payerAt(NOON)
  expect(payer.budgets).toEqual(["key_x@2026-11"])
  expect([payer.from, payer.until]).toEqual([Date.parse("2026-11-01T00:00:00Z"), NEXT_DAY])
})

test("the name of a budget owner contains its period", () => {
  expect(readPeriodOwner("key_x")).toBeUndefined()
  expect(readPeriodOwner("somebody@home")).toBeUndefined()
  for (const period of ["day", "month"] as const) {
    const owner = budgetOwner("key_x", period, NOON)
    const read = readPeriodOwner(owner)
    expect(read).toMatchObject({ holder: "key_x", period, until: endOfPeriod(period, NOON) })
    expect(NOON).toBeWithin(read!.from, read!.until)
  }
  expect(endOfPeriod("month", Date.parse("2026-12-31T23:59:59Z"))).toBe(Date.parse("2027-01-01"))
})

test("the row of a charge stores the charged budgets as bits", () => {
  const all = [
    { key: "key_x", account: "acc_y" },
    { key: "a", account: "ab" },
    { key: "ab", account: "a" },
  ]
  for (const holders of all) {
    for (let bits = 0; bits < 32; bits++) {
      const owners = ownersOfBits(bits, holders, NOON)
      expect(new Set(owners).size).toBe(owners.length)
      expect(bitsOf(owners, holders)).toBe(bits)
    }
  }
  expect(ownersOfBits(24, { key: "key_x", account: "acc_y" }, NOON)).toEqual([
    budgetOwner("acc_y", "day", NOON),
    budgetOwner("acc_y", "month", NOON),
  ])
})
