import { expect, test } from "bun:test"
import { Audit } from "../../src/management/audit.ts"
import { SpendPace } from "../../src/management/spend-pace.ts"
import { AUDIT } from "../store/audit-record.ts"
import { ReportedDatabase, type ReportedRequest } from "../store/reported-requests.ts"

const HOUR = 3_600_000
/** Half an hour after the start of an hour. */
const NOW = Date.UTC(2026, 2, 20, 10, 30)

/** Creates an account that has spent the given amount in each of the previous hours. */
async function spending(cost: bigint, hours: number, pace = 5) {
  const own = await ReportedDatabase.open()
  const { store } = own.database
  await store.accounts.update("a", { limits: { pace } }, AUDIT)
  const before = Array.from({ length: hours }, (_, index): ReportedRequest => {
    return { request: `req_${index}`, at: NOW - (index + 1) * HOUR, cost }
  })
  await own.add(...before)
  const watch = new SpendPace({ store, audit: new Audit(store), reports: own.reports })
  const stateAt = async (now = NOW) => {
    await watch.checkAll(now)
    return (await store.accounts.find("a"))?.state
  }
  return { own, store, stateAt }
}

test("an account whose hourly spend is many times its usual spend is paused, with an audit record", async () => {
  const { own, store, stateAt } = await spending(100n, 30)
  await using database = own
  await database.add({ request: "now", at: NOW, cost: 500n })
  expect(await stateAt()).toBe("active")
  await database.add({ request: "more", at: NOW, cost: 1n })
  expect(await stateAt()).toBe("paused")
  const [record] = await store.audit.list({}, null, 1)
  expect(record).toMatchObject({ actorName: "max_hourly_spend_ratio", action: "account.change" })
  expect(JSON.stringify(record)).toContain("spent_this_hour")
})

test("a resumed account can be paused again only after the current hour", async () => {
  const { own, store, stateAt } = await spending(100n, 30)
  await using database = own
  await database.add({ request: "now", at: NOW, cost: 1_000n })
  expect(await stateAt()).toBe("paused")
  await store.accounts.update("a", { state: "active" }, AUDIT)
  await database.add({ request: "more", at: NOW, cost: 1_000n })
  expect(await stateAt()).toBe("active")
  await database.add({ request: "later", at: NOW + HOUR, cost: 5_000n })
  expect(await stateAt(NOW + HOUR)).toBe("paused")
})

test("an account is not paused without enough history, without a limit or at its usual spend", async () => {
  const few = await spending(100n, 23)
  await using first = few.own
  await first.add({ request: "now", at: NOW, cost: 100_000n })
  expect(await few.stateAt()).toBe("active")
  const free = await spending(100n, 30)
  await using second = free.own
  await free.store.accounts.update("a", { limits: {} }, AUDIT)
  await second.add({ request: "now", at: NOW, cost: 100_000n })
  expect(await free.stateAt()).toBe("active")
  const old = await spending(100n, 30)
  await using third = old.own
  await third.add({ request: "now", at: NOW, cost: 100_000n })
  // Spending from more than a week ago does not count as usual.
  expect(await old.stateAt(NOW + 9 * 24 * HOUR)).toBe("active")
})
