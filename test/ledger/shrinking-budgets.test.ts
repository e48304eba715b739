import { expect, test } from "bun:test"
import { AUDIT } from "../store/audit-record.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { Node } from "../../src/ledger/node.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Keys } from "../../src/management/keys.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"
import { payersOf } from "../../src/keys/key.ts"

const CREDIT = 1_000_000_000n

test("a reduced budget takes effect immediately, even if a running process has leased the whole budget", async () => {
  await using database = await TestDatabase.open()
  await using stack = new AsyncDisposableStack()
  await database.account("a", 1_000n * CREDIT)
  const periods = { dailyBudget: 50n * CREDIT, monthlyBudget: 80n * CREDIT }
  const payerAt = payersOf(await database.key("key_x", "a", 100n * CREDIT, periods))
  const store = await database.another()
  const ledger = await database.ledger("node", store)
  const listeners = {
    onChanges: (changes: { recalls: readonly string[] }) => ledger.tick(changes.recalls),
    onRejoined: (id: string) => ledger.rejoin(id),
    onExpired() {},
    onFailure: console.error,
  }
  stack.use(await Node.join(store, "node", listeners))
  const payer = payerAt(Date.now())
  await ledger.lease(payer, CREDIT)
  await ledger.settle(ledger.tryHold(database.order(payer, CREDIT))!, CREDIT, () => "{}")
  expect(ledger.available(payer)).toBe(49n * CREDIT)

  const keys = new Keys(
    database.store,
    new Audit(database.store),
    new KeyHasher("pepper".repeat(12)),
  )
  const order = { budget: "20", daily_budget: "0.5", monthly_budget: "3" }
  expect(await keys.change(COMMAND_LINE, "key_x", order)).toMatchObject({
    budget: { limit: "20", left: "19" },
    daily_budget: { limit: "0.5", left: "0" },
    monthly_budget: { limit: "3", left: "2" },
  })
  await until(() => ledger.available(payer) === 0n)
  // The other budgets may still return credits. Until then, no credits of these budgets are leased.
  await until(async () => (await store.nodes.poll("node", null)).recalls.length === 0)
  expect(await ledger.lease(payer, 1n)).toBeUndefined()
  await keys.change(COMMAND_LINE, "key_x", { daily_budget: "5" })
  expect(await ledger.lease(payer, 2n * CREDIT)).toBe(true)
  expect(await ledger.lease(payer, 3n * CREDIT)).toBeUndefined()
  expect((await verifyLedgers(database.store)).problems).toEqual([])
})

test("a running request keeps its hold when the budget is reduced", async () => {
  await using database = await TestDatabase.open()
  await database.account("a", 1_000n * CREDIT)
  const payerAt = payersOf(await database.key("key_x", "a", 100n * CREDIT))
  const ledger = await database.ledger("node")
  const payer = payerAt(Date.now())
  await ledger.lease(payer, CREDIT)
  const hold = ledger.tryHold(database.order(payer, 30n * CREDIT))!
  const keys = new Keys(
    database.store,
    new Audit(database.store),
    new KeyHasher("pepper".repeat(12)),
  )
  const changed = await keys.change(COMMAND_LINE, "key_x", { budget: "5" })
  expect(changed.budget).toMatchObject({ limit: "5", left: "5" })
  const look = async () => ledger.tick((await database.store.nodes.poll("node", null)).recalls)
  await look()
  expect(await ledger.lease(payer, 1n)).toBeUndefined()
  expect((await ledger.settle(hold, 2n * CREDIT, () => "{}")).charged).toBe(2n * CREDIT)
  await look()
  expect(await ledger.lease(payer, 3n * CREDIT + 1n)).toBeUndefined()
  expect(await ledger.lease(payer, 3n * CREDIT)).toBe(true)
  expect((await database.store.nodes.poll("node", null)).recalls).toEqual([])
  expect((await verifyLedgers(database.store)).problems).toEqual([])
})

test("a reduced budget limits leases after a process that leased more has died", async () => {
  await using database = await TestDatabase.open()
  await database.account("a", 1_000n * CREDIT)
  const payer = payersOf(await database.key("key_x", "a", 100n))(Date.now())
  const dead = await database.ledger("dead")
  await dead.lease(payer, 100n)
  await database.store.keys.update("key_x", { budget: 10n }, AUDIT)
  await database.store.nodes.remove("dead", Date.now())
  const ledger = await database.ledger("node")
  expect(await ledger.lease(payer, 11n)).toBeUndefined()
  expect(await ledger.lease(payer, 10n)).toBe(true)
  await database.store.keys.update("key_x", { budget: 30n }, AUDIT)
  expect(await ledger.lease(payer, 30n)).toBe(true)
})
