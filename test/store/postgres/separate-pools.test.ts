import { SQL } from "bun"
import { expect, test } from "bun:test"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { until } from "../../support/until.ts"

const databases = new TestDatabases()

/** The methods are lists of failures, which wait for a lock in this test. */
const WAITING = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`

test.each([2, 3, 4, 10])(
  "with %i connections, slow reports do not delay reads of content and sessions",
  async (connections) => {
    const url = await databases.urlOf(`separate pools ${connections}`)
    await using served = await databaseAt({ engine: "postgresql", url, connections }).openToServe(
      false,
    )
    using users = await served.openConsoleStore()
    await using lock = new SQL(url, { max: 1 })
    await using sql = new SQL(url, { max: 1 })
    await lock.unsafe("BEGIN; LOCK TABLE failed_requests").simple()
    const reports = Array.from({ length: 20 }, () => served.failures.list({}, null, 10))
    await until(async () => (await sql.unsafe<{ count: number }[]>(WAITING))[0]?.count !== 0)
    expect(await served.conversations.find(["missing"], { max: 1, now: 1, keep: 1 })).toEqual([])
    expect(await users.users.hasOperator()).toBe(false)
    expect((await served.store.accounts.list()).length).toBe(0)
    await lock.unsafe("COMMIT")
    expect(await Promise.all(reports)).toEqual(reports.map(() => []))
    const opened = await sql.unsafe<{ count: number }[]>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()",
    )
    // One connection belongs to this query, and one to the lock.
    expect(opened[0]?.count).toBeLessThanOrEqual(connections + 2)
  },
)

test("long statements do not delay settlements, content and sessions", async () => {
  const url = await databases.urlOf("separate pools of statements")
  await using served = await databaseAt({
    engine: "postgresql",
    url,
    connections: 4,
  }).openToServe(false)
  using users = await served.openConsoleStore()
  await using lock = new SQL(url, { max: 1 })
  await using sql = new SQL(url, { max: 1 })
  await lock.unsafe("BEGIN; LOCK TABLE receipts").simple()
  const read = () => served.statementLines.listStatementLines("a", 0, 10)
  const statements = Array.from({ length: 20 }, read)
  await until(async () => (await sql.unsafe<{ count: number }[]>(WAITING))[0]?.count !== 0)
  expect(await served.conversations.find(["missing"], { max: 1, now: 1, keep: 1 })).toEqual([])
  expect(await users.users.hasOperator()).toBe(false)
  expect((await served.store.accounts.list()).length).toBe(0)
  await lock.unsafe("COMMIT")
  expect(await Promise.all(statements)).toEqual(statements.map(() => []))
})
