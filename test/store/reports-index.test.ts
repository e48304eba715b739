import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import type { RequestFilter } from "../../src/store/requests.ts"
import { newestOf } from "../../src/store/sqlite/migrate.ts"
import { ReportsOnDemand } from "../../src/store/sqlite/reports-on-demand.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"
import { servedTime } from "../support/served-time.ts"
import { until } from "../support/until.ts"
import { TemporaryDirectory } from "./test-database.ts"
import { ReportedDatabase } from "./reported-requests.ts"

/** 2026-03-02, 10:30 UTC. */
const AT = Date.UTC(2026, 2, 2, 10, 30)

/** Returns the ids of the requests that match a filter. */
async function found(own: ReportedDatabase, filter: RequestFilter, limit = 50): Promise<string[]> {
  const reports = await own.reports.upToDate()
  return (await reports.list(filter, null, limit)).map(({ request }) => request)
}

describe("the report index", () => {
  test("contains each request once, even if several processes index it simultaneously", async () => {
    await using own = await ReportedDatabase.open()
    const batch = (name: string) =>
      Array.from({ length: 700 }, (_, index) => ({ request: `${name}_${index}`, at: AT, cost: 1n }))
    await own.add(...batch("first"))
    await using other = new ReportsOnDemand(own.database.directory.database)
    await Promise.all([own.reports.upToDate(), other.upToDate(), other.upToDate()])
    await own.add(...batch("second"))
    const [reports] = await Promise.all([own.reports.upToDate(), other.upToDate()])
    expect(await reports.keyUses(["key_a"])).toMatchObject([{ requests: 1_400, spent: 1_400n }])
    expect(await reports.list({}, null, 2_000)).toHaveLength(1_400)
  })

  test("rebuilds itself if it does not match its ledger", async () => {
    await using own = await ReportedDatabase.open()
    await own.add({ request: "req_1" }, { request: "req_2" })
    await found(own, {})
    await using other = await ReportedDatabase.open()
    await other.add({ request: "req_8" }, { request: "req_9" }, { request: "req_10" })
    using directory = new TemporaryDirectory()
    const path = (database: ReportedDatabase) => database.database.directory.path
    using copied = new Database(join(path(own), "reports.db"))
    copied.run(`VACUUM INTO '${join(directory.path, "reports.db")}'`)
    using database = new Database(other.database.directory.database)
    database.run(`VACUUM INTO '${directory.database}'`)
    await using strange = new ReportsOnDemand(directory.database)
    const rows = await (await strange.upToDate()).list({}, null, 10)
    expect(rows.map(({ request }) => request).toSorted()).toEqual(["req_10", "req_8", "req_9"])
  })

  test("stays unchanged if a newer version created it", async () => {
    await using own = await ReportedDatabase.open()
    await own.add({ request: "req_1" })
    await found(own, {})
    const { database, path } = own.database.directory
    using ledger = new Database(database)
    using index = new Database(join(path, "reports.db"))
    for (const file of [ledger, index]) file.run("PRAGMA user_version = 1000")
    index.run("ALTER TABLE requests ADD COLUMN something INTEGER")
    await using older = new ReportsOnDemand(database)
    await expect(older.upToDate()).rejects.toThrow("reports.db was written by a newer Tollgate")
    expect(index.query("SELECT request, something FROM requests").all()).toEqual([
      { request: "req_1", something: null },
    ])
    // The ledger has the current version again, so no newer process is running.
    ledger.run(`PRAGMA user_version = ${newestOf(LEDGER_SCHEMA)}`)
    expect(await (await older.upToDate()).list({}, null, 10)).toHaveLength(1)
  })

  test("rebuilds itself if the ledger was replaced by an earlier copy", async () => {
    await using own = await ReportedDatabase.open()
    await own.add({ request: "req_1" })
    using directory = new TemporaryDirectory()
    using database = new Database(own.database.directory.database)
    database.run(`VACUUM INTO '${directory.database}'`)
    await own.add({ request: "req_2" })
    await found(own, {})
    await own.reports[Symbol.asyncDispose]()
    copyFileSync(
      join(own.database.directory.path, "reports.db"),
      join(directory.path, "reports.db"),
    )
    await using earlier = new ReportsOnDemand(directory.database)
    const rows = await (await earlier.upToDate()).list({}, null, 10)
    expect(rows.map(({ request }) => request)).toEqual(["req_1"])
  })

  test("continues to be built after a restart", async () => {
    await using own = await ReportedDatabase.open()
    await own.add({ request: "req_1" })
    await found(own, {})
    await own.reports[Symbol.asyncDispose]()
    await own.add({ request: "req_2" })
    await using again = new ReportsOnDemand(own.database.directory.database)
    expect(await (await again.upToDate()).keyUses(["key_a"])).toMatchObject([{ requests: 2 }])
  })

  test("returns the rows that it has if indexing takes too long, and continues to index", async () => {
    await using own = await ReportedDatabase.open()
    const many = Array.from({ length: 3_000 }, (_, index) => ({ request: `r${index}`, at: AT }))
    await own.add(...many)
    await using hasty = new ReportsOnDemand(own.database.directory.database, 0)
    const reports = await hasty.upToDate()
    expect(hasty.isBehind).toBe(true)
    const first = (await reports.keyUses(["key_a"]))[0]?.requests ?? 0
    expect(first).toBeLessThan(3_000)
    expect(await (await own.reports.upToDate()).keyUses(["key_a"])).toMatchObject([
      { requests: 3_000 },
    ])
  })

  test("delays a single query each time that it falls far behind", async () => {
    await using own = await ReportedDatabase.open()
    await own.add({ request: "req_1" })
    await found(own, {})
    const { database, path } = own.database.directory
    await using patient = new ReportsOnDemand(database, TIMEOUT_MS)
    await patient.upToDate()
    await own.add({ request: "req_2" })
    using index = new Database(join(path, "reports.db"))
    index.run("BEGIN IMMEDIATE")
    expect(await timeOf(() => patient.upToDate())).toBeGreaterThanOrEqual(TIMEOUT_MS - 1)
    expect(await servedTime(() => patient.upToDate())).toBeLessThan(TIMEOUT_MS)
    index.run("ROLLBACK")
    const reports = await patient.upToDate()
    // The index answers one query after another.
    await until(async () => (await reports.list({}, null, 10)).length === 2)
    index.run("BEGIN IMMEDIATE")
    await own.add({ request: "req_3" })
    expect(await timeOf(() => patient.upToDate())).toBeGreaterThanOrEqual(TIMEOUT_MS - 1)
    index.run("ROLLBACK")
  })
})

/** Timeout of a report, milliseconds. */
const TIMEOUT_MS = 1_000

async function timeOf(step: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await step()
  return performance.now() - begun
}

test("a closed report index rejects queries, and a report for a missing ledger is empty", async () => {
  await using own = await ReportedDatabase.open()
  await own.reports[Symbol.asyncDispose]()
  await expect(own.reports.upToDate()).rejects.toThrow("closed")
  await using nowhere = new ReportsOnDemand(join(own.database.directory.path, "no", "tollgate.db"))
  await expect(nowhere.upToDate()).rejects.toThrow()
})
