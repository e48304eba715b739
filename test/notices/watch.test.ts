import { expect, test } from "bun:test"
import { budgetOwner } from "../../src/accounting/budget-periods.ts"
import { Notices } from "../../src/notices/notices.ts"
import { ProblemNotices } from "../../src/notices/problem-notices.ts"
import { type ScheduledPrice, Watch } from "../../src/notices/watch.ts"
import type { NoticeTarget } from "../../src/store/notices.ts"
import type { Store } from "../../src/store/store.ts"
import { AUDIT } from "../store/audit-record.ts"
import { payerOf, TestDatabase } from "../store/test-database.ts"

const NEVER = 1_000_000
const CREDIT = 1_000_000_000n

const TARGET: NoticeTarget = {
  id: "target",
  account: "acc",
  channel: "webhook",
  hint: "",
  encrypted: "",
  types: null,
  balanceBelow: 2n * CREDIT,
  createdAt: 1,
}

/** Creates a watch over one account with a target. */
async function watched(balance: bigint) {
  const database = await TestDatabase.open()
  await database.account("acc", balance)
  await database.store.notices.insertTarget(TARGET, AUDIT)
  const failures: unknown[] = []
  const wanted: { every: number | "off" | null } = { every: null }
  const alarms = { noticesFailed: (error: unknown) => failures.push(error) }
  const coming: ScheduledPrice[] = []
  const watchOf = (store: Store) =>
    new Watch({
      store,
      notices: new Notices(store, alarms),
      alarms,
      backup: () => ({ every: wanted.every }),
      upcoming: (now) => coming.filter(({ at }) => at > now),
      pace: async () => {},
      every: NEVER,
    })
  const watch = watchOf(database.store)
  const told = async (): Promise<Record<string, unknown>[]> =>
    (await database.store.notices.list(null, null, 100))
      .toReversed()
      .map(({ type, data }) => ({ type, ...(JSON.parse(data) as Record<string, unknown>) }))
  const spend = async (payer: ReturnType<typeof payerOf>, amount: bigint, cost = amount) => {
    const ledger = (spending ??= await database.ledger("node"))
    await ledger.lease(payer, amount)
    await ledger.settle(ledger.tryHold(database.order(payer, amount))!, cost, () => "{}")
  }
  let spending: Awaited<ReturnType<TestDatabase["ledger"]>> | undefined
  return {
    database,
    watch,
    watchOf,
    told,
    spend,
    failures,
    wanted,
    coming,
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test("a low balance is reported once, and again if it becomes low after credits were added", async () => {
  await using world = await watched(3n * CREDIT)
  const { database, watch, told, spend } = world
  await watch.check(1)
  expect(await told()).toEqual([])
  await spend(payerOf("acc"), CREDIT + 1n)
  await watch.check(2)
  await watch.check(3)
  const low = { type: "balance.low", balance: "1.999999999", below: "2" }
  expect(await told()).toEqual([low])
  await database.grant("acc", CREDIT)
  await watch.check(4)
  expect(await told()).toEqual([low])
  await spend(payerOf("acc"), CREDIT)
  await watch.check(5)
  expect(await told()).toEqual([low, low])
})

test("a used budget is reported at 50, 80 and 100 percent, once per period", async () => {
  await using world = await watched(100n * CREDIT)
  const { database, watch, told, spend } = world
  const now = Date.now()
  await database.key("key", "acc", null, { dailyBudget: 10n * CREDIT })
  const payer = payerOf("acc", "key", [budgetOwner("key", "day", now)])
  const percents = async () => {
    await watch.check(now)
    return (await told()).map(({ percent }) => percent)
  }
  await spend(payer, 5n * CREDIT - 1n)
  expect(await percents()).toEqual([])
  await spend(payer, 1n)
  expect(await percents()).toEqual([50])
  await spend(payer, 4n * CREDIT)
  expect(await percents()).toEqual([50, 80])
  await spend(payer, CREDIT)
  expect(await percents()).toEqual([50, 80, 100])
  expect((await told()).at(-1)).toEqual({
    type: "budget.spent",
    key: "key",
    period: "day",
    percent: 100,
    spent: "10",
    budget: "10",
  })
  await database.store.keys.update("key", { dailyBudget: 15n * CREDIT }, AUDIT)
  expect(await percents()).toEqual([50, 80, 100])
  await spend(payer, 2n * CREDIT)
  expect(await percents()).toEqual([50, 80, 100, 80])
})

test("write-offs are reported together, and those before the first check are not reported", async () => {
  await using world = await watched(CREDIT)
  const { database, watch, told, spend } = world
  await watch.check(1)
  await spend(payerOf("acc"), CREDIT, CREDIT + 3n)
  await database.grant("acc", 1n)
  await spend(payerOf("acc"), 1n, 5n)
  await watch.check(2)
  await watch.check(3)
  const [writeOff, ...more] = (await told()).filter(({ type }) => type === "write_off")
  expect(writeOff).toMatchObject({ count: 2, accounts: ["acc"] })
  expect(writeOff?.requests).toHaveLength(2)
  expect(more).toEqual([])
})

test("several processes that check simultaneously report each event once", async () => {
  await using world = await watched(CREDIT)
  const { database, watch, watchOf, told, failures } = world
  await using other = watchOf(await database.another())
  await Promise.all([1, 2, 3, 4].flatMap((now) => [watch.check(now), other.check(now)]))
  expect(await told()).toHaveLength(1)
  expect(failures).toEqual([])
})

test("repeated problems of a deployment and a missing price are reported once per interval", async () => {
  await using world = await watched(10n * CREDIT)
  const { database, told, failures } = world
  let now = 0
  const alarms = { noticesFailed: (error: unknown) => failures.push(error) }
  const notices = new Notices(database.store, alarms)
  const problemNotices = new ProblemNotices(notices, () => now)
  const types = async () => {
    await notices.settled()
    return (await told()).map(({ type }) => type)
  }
  const report = { deployment: "openai/gpt", cooldownMs: 1_000 }
  for (let count = 0; count < 5; count++) problemNotices.deployment({ ...report, event: "failed" })
  problemNotices.deployment({ ...report, event: "overloaded" })
  expect(await types()).toEqual(["deployment.cooling_down"])
  problemNotices.deployment({ ...report, event: "recovered" })
  problemNotices.deployment({ ...report, event: "failed" })
  problemNotices.deployment({ ...report, event: "recovered" })
  expect(await types()).toEqual(["deployment.cooling_down", "deployment.recovered"])
  now = 600_000
  problemNotices.deployment({ ...report, event: "rejected" })
  problemNotices.unpriced("req_1", "openai/gpt", ["web_search", "web_search"])
  problemNotices.unpriced("req_2", "openai/gpt", ["web_search"])
  const costs = { stated: 3n, priced: 2n }
  problemNotices.priceBelowCost("req_3", "openai/gpt", costs)
  problemNotices.priceBelowCost("req_4", "openai/gpt", costs)
  const since = (await types()).slice(2).toSorted()
  expect(since).toEqual(["credential.rejected", "price.below_cost", "usage.unpriced"])
  expect(failures).toEqual([])
})

test("an unavailable database raises an alarm, and does not delay notices", async () => {
  const failures: unknown[] = []
  const away = { notices: { raise: () => Promise.reject(new Error("away")) } } as unknown as Store
  const notices = new Notices(away, { noticesFailed: (error) => failures.push(error) })
  for (let count = 0; count < 150; count++) notices.notify({ type: "write_off", data: {} })
  await notices.settled()
  expect(failures).toHaveLength(150)
})

test("an overdue backup is reported once, but only if a backup is set up", async () => {
  await using world = await watched(CREDIT)
  const { database, watch, watchOf, told, wanted } = world
  await database.store.notices.insertTarget({ ...TARGET, id: "all", account: null }, AUDIT)
  const { backups } = database.store
  const HOUR = 3_600_000
  const old = async (hour: number) => {
    await watch.check(hour * HOUR)
    await using other = watchOf(database.store)
    await other.check(hour * HOUR)
    return (await told()).filter(({ type }) => type === "backup.overdue")
  }
  expect(await old(1_000)).toEqual([])
  // One backup is made manually.
  await backups.record({ place: "/mnt", at: HOUR, every: null }, AUDIT)
  expect(await old(2_000)).toEqual([])
  await backups.record({ place: "/mnt", at: 2_000 * HOUR, every: 6 * HOUR }, AUDIT)
  expect(await old(2_009)).toEqual([])
  const first = {
    type: "backup.overdue",
    last: new Date(2_000 * HOUR).toISOString(),
    place: "/mnt",
    every_ms: 6 * HOUR,
  }
  expect(await old(2_010)).toEqual([first])
  expect(await old(2_020)).toEqual([first])
  // Another manual backup does not end the watch.
  await backups.record({ place: "/other", at: 2_021 * HOUR, every: null }, AUDIT)
  expect(await old(2_022)).toEqual([first])
  expect(await old(2_031)).toMatchObject([first, { place: "/other", every_ms: 6 * HOUR }])
  wanted.every = 100 * HOUR
  expect(await old(2_032)).toHaveLength(2)
  wanted.every = "off"
  expect(await old(9_000)).toHaveLength(2)
  expect(world.failures).toEqual([])
})

test("a configured backup that has never been made is reported", async () => {
  await using world = await watched(2n * CREDIT)
  world.wanted.every = 60_000
  await world.watch.check(1)
  await world.watch.check(2)
  expect(await world.told()).toEqual([
    { type: "backup.overdue", last: null, place: null, every_ms: 60_000 },
  ])
})

test("the pausing or closing of an account is reported each time, regardless of the actor", async () => {
  await using world = await watched(3n * CREDIT)
  const { database, watch, told } = world
  const { accounts } = database.store
  await watch.check(1)
  await accounts.update("acc", { state: "paused" }, AUDIT)
  await watch.check(2)
  await watch.check(3)
  await accounts.update("acc", { state: "closed" }, AUDIT)
  await watch.check(4)
  await accounts.update("acc", { state: "active" }, AUDIT)
  await watch.check(5)
  await accounts.update("acc", { state: "paused" }, AUDIT)
  await watch.check(6)
  const states = (await told()).filter(({ type }) => type === "account.paused")
  expect(states.map(({ state }) => state)).toEqual(["paused", "closed", "paused"])
})

test("a price change is reported a day before, once for each model and date across all processes", async () => {
  await using world = await watched(3n * CREDIT)
  const { database, watch, watchOf, told, coming, failures } = world
  await database.store.notices.insertTarget({ ...TARGET, id: "all", account: null }, AUDIT)
  await using other = watchOf(await database.another())
  const change = Date.parse("2027-01-01T00:00:00Z")
  const DAY = 86_400_000
  const parts = [{ name: "input", before: "0.75", after: "1.5" }]
  const scheduled = (model: string, at: number, isRecurring = false) =>
    coming.push({ model, at, isRecurring, parts })
  const found = async (now: number) => {
    await Promise.all([watch.check(now), other.check(now)])
    // Simulates another process after a restart.
    await using again = watchOf(database.store)
    await again.check(now + 1)
    return (await told()).filter(({ type }) => type === "price.scheduled")
  }
  scheduled("a/one", change)
  scheduled("a/two", change)
  scheduled("a/weekly", change - 1_000, true)
  scheduled("a/later", change + DAY)
  expect(await found(change - DAY - 2)).toEqual([])
  const first = {
    type: "price.scheduled",
    at: "2027-01-01T00:00:00.000Z",
    models: ["a/one", "a/two"],
    changes: ["a/one: input 0.75 to 1.5", "a/two: input 0.75 to 1.5"],
  }
  expect(await found(change - DAY)).toEqual([first])
  // For a model in a newer price list, there is another notice.
  scheduled("a/new", change)
  expect(await found(change - DAY / 2)).toMatchObject([first, { models: ["a/new"] }])
  expect(await found(change - 2)).toHaveLength(2)
  expect(await found(change)).toMatchObject([first, { models: ["a/new"] }, { models: ["a/later"] }])
  expect((await database.store.notices.marks("prices:")).size).toBe(1)
  expect(failures).toEqual([])
})
