import { expect, test } from "bun:test"
import { budgetOwner } from "../../../src/accounting/budget-periods.ts"
import { keyFromRecord } from "../../../src/keys/key.ts"
import type { Ledger } from "../../../src/ledger/ledger.ts"
import type { Payer } from "../../../src/accounting/payer.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { AUDIT } from "../audit-record.ts"
import type { Engine } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

const HOUR = 3_600_000

/** Waits if the day is about to end, so that the test does not span two days. */
async function waitForDay(): Promise<void> {
  const rest = 24 * HOUR - (Date.now() % (24 * HOUR))
  if (rest < 30_000) await Bun.sleep(rest + 10)
}

/** Creates an account with the given daily budget and two keys. */
async function limited(engine: Engine, dailyBudget: string) {
  await waitForDay()
  const database = await TestDatabase.on(engine)
  await database.account("a", 1_000n)
  await database.store.accounts.update("a", { limits: { dailyBudget } }, AUDIT)
  await database.key("k1", "a", null)
  await database.key("k2", "a", 500n)
  return { database, payer: (key: string) => payerOf(database, key) }
}

async function payerOf({ store }: TestDatabase, id: string): Promise<Payer> {
  const record = await store.keys.find(id)
  if (!record) throw new Error(`there is no key ${id}`)
  return keyFromRecord(record).payerAt(Date.now())
}

/**
 * Tries to spend an amount.
 * @returns whether the amount could be held.
 */
async function spend(
  database: TestDatabase,
  ledger: Ledger,
  payer: Payer,
  amount: bigint,
): Promise<boolean> {
  await ledger.lease(payer, amount)
  const hold = ledger.tryHold(database.order(payer, amount))
  if (!hold) return false
  await ledger.settle(hold, amount, () => "{}")
  return true
}

async function problems({ store }: TestDatabase): Promise<readonly unknown[]> {
  return (await verifyLedgers(store)).problems
}

/** Tests that an engine fulfills this contract. */
export function accountBudgetContract(engine: Engine): void {
  test("all keys of an account share its budget exactly", async () => {
    const { database, payer } = await limited(engine, "100")
    await using own = database
    const ledger = await own.ledger("node")
    expect((await payer("k1")).budgets).toEqual([budgetOwner("a", "day", Date.now())])
    expect((await payer("k2")).budgets).toHaveLength(2)
    expect(await spend(own, ledger, await payer("k1"), 60n)).toBe(true)
    expect(await spend(own, ledger, await payer("k2"), 41n)).toBe(false)
    expect(await spend(own, ledger, await payer("k2"), 40n)).toBe(true)
    expect(await spend(own, ledger, await payer("k1"), 1n)).toBe(false)
    expect(await own.store.accounts.find("a")).toMatchObject({ balance: 900n, dailyLeft: 0n })
    expect(await own.store.keys.find("k2")).toMatchObject({ budgetLeft: 460n })
    expect(await problems(own)).toEqual([])
    const spent = await own.store.keys.listBudgets("", 10)
    expect(spent.map(({ owner, account, spent: sum }) => [owner, account, sum])).toEqual([
      [budgetOwner("a", "day", Date.now()), "a", 100n],
      ["k2", "a", 40n],
    ])
  })

  test("the leases of two nodes do not exceed a budget", async () => {
    const { database } = await limited(engine, "100")
    await using own = database
    const { leases } = own.store
    await own.ledger("one")
    await own.ledger("two", await own.another())
    const owner = budgetOwner("a", "day", Date.now())
    let leased = 0n
    for (let round = 0; round < 40; round++) {
      const taken = await Promise.all(
        ["one", "two"].map((node) => leases.take({ node, owner, wanted: 3n, min: 1n })),
      )
      for (const { granted } of taken) leased += granted
    }
    expect(leased).toBe(100n)
    expect(await own.store.integrity.listBalanceFaults(Date.now())).toEqual([])
    for (const node of ["one", "two"]) await own.store.nodes.remove(node, Date.now())
    expect((await own.store.accounts.find("a"))?.dailyLeft).toBe(100n)
    expect(await problems(own)).toEqual([])
  })

  test("a budget changes with its limit, but not below the spent amount, and ends with the limit", async () => {
    const { database, payer } = await limited(engine, "100")
    await using own = database
    const { accounts } = own.store
    const ledger = await own.ledger("node")
    expect(await spend(own, ledger, await payer("k1"), 60n)).toBe(true)
    await own.store.nodes.remove("node", Date.now())
    const limits = { dailyBudget: "150", monthlyBudget: "70" }
    expect(await accounts.update("a", { limits }, AUDIT)).toMatchObject({
      dailyLeft: 90n,
      monthlyLeft: 70n,
    })
    expect(await accounts.update("a", { limits: { dailyBudget: "20" } }, AUDIT)).toMatchObject({
      dailyLeft: 0n,
      monthlyLeft: null,
    })
    expect(await problems(own)).toEqual([])
    const other = await own.ledger("other")
    expect(await spend(own, other, await payer("k1"), 1n)).toBe(false)
    await accounts.update("a", { limits: {} }, AUDIT)
    expect((await payer("k1")).budgets).toEqual([])
    expect(await spend(own, other, await payer("k1"), 500n)).toBe(true)
    expect(await problems(own)).toEqual([])
  })

  test("the budgets listed for notices include nearly used-up budgets", async () => {
    const { database, payer } = await limited(engine, "100")
    await using own = database
    const ledger = await own.ledger("node")
    await spend(own, ledger, await payer("k1"), 80n)
    expect(await own.store.notices.spentBudgets(Date.now(), 10)).toEqual([
      { owner: budgetOwner("a", "day", Date.now()), account: "a", spent: 80n, limit: 100n },
    ])
  })
}
