import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import { PostgresClient } from "../../src/store/postgres/client.ts"
import { ensurePartitions } from "../../src/store/postgres/partitions.ts"
import { TestDatabases } from "../support/postgres-databases.ts"
import { BEFORE, happen, OLD, posting, reportsOf, pruneAll } from "./contract/pruning.ts"
import { rejectionOf } from "./engines.ts"
import { TemporaryDirectory } from "./test-database.ts"

const servers = new TestDatabases()

/**
 * Creates a folder whose old rows are pruned.
 * @returns the reports from before the pruning.
 */
async function prunedIn(folder: TemporaryDirectory) {
  await using served = await databaseOf({ data: folder.path }).openToServe(false)
  await happen(served.store)
  const reports = await reportsOf(served)
  await pruneAll(served.store, BEFORE)
  return reports
}

test("a rebuilt report index includes the totals of pruned rows", async () => {
  using folder = new TemporaryDirectory()
  const before = await prunedIn(folder)
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(join(folder.path, `reports.db${end}`), { force: true })
  }
  await using served = await databaseOf({ data: folder.path }).openToServe(false)
  expect(await reportsOf(served)).toEqual(before)
})

test("verification detects changes of remaining rows and of the records of pruned rows", async () => {
  using folder = new TemporaryDirectory()
  await prunedIn(folder)
  const changes = [
    // This case changes nothing.
    "",
    "UPDATE last_pruned_entries SET balance = balance + 1 WHERE account = 'busy'",
    "UPDATE last_pruned_entries SET number = number + 1 WHERE account = 'busy'",
    "UPDATE last_pruned_entries SET hash = 'x' || substr(hash, 2) WHERE account = 'idle'",
    "DELETE FROM last_pruned_entries WHERE account = 'idle'",
    "UPDATE pruned_budgets SET spent = spent - 1",
    "UPDATE pruned_rows SET row_count = row_count - 1",
    "UPDATE pruned_rows SET hash_sum = '00' || substr(hash_sum, 3)",
    "DELETE FROM entries WHERE account = 'idle'",
    "DELETE FROM entries WHERE number IS NULL",
  ]
  for (const change of changes) {
    using copy = new TemporaryDirectory()
    // Threads of the closed installation may still be moving its write-ahead log.
    using source = new Database(folder.database)
    source.run("VACUUM INTO ?", [copy.database])
    using changed = new Database(copy.database)
    const count = change === "" ? 0 : changed.run(change).changes
    changed.close()
    await using store = await databaseOf({ data: copy.path }).openReader()
    const { problems } = await verifyLedgers(store)
    expect([change, count > 0, problems.length > 0]).toEqual([change, change !== "", change !== ""])
  }
})

test("PostgreSQL drops whole partitions while other clients read and write", async () => {
  const url = await servers.urlOf("partitions")
  await using client = new PostgresClient({ url, max: 4, connectTime: 5_000 })
  await ensurePartitions(client, OLD)
  await using served = await databaseAt({
    engine: "postgresql",
    url,
    connections: 4,
  }).openToServe(false)
  const { store } = served
  await happen(store)
  const before = await reportsOf(served)
  const partitions = async () => {
    const rows = await client.rows<{ name: string }>(
      "SELECT relname::text AS name FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE relkind = 'r' ORDER BY 1",
    )
    return rows.map(({ name }) => name)
  }
  const day = new Date(OLD).toISOString().slice(0, "2026-10-12".length).replaceAll("-", "_")
  const old = [`entries_${day.slice(0, "2026_10".length)}`, `receipts_${day}`]
  expect(await partitions()).toEqual(expect.arrayContaining(old))

  const { promise: isRead, resolve: end } = Promise.withResolvers<void>()
  const { promise: isReading, resolve: begin } = Promise.withResolvers<void>()
  const report = client.consistently(async (transaction) => {
    await transaction.rows("SELECT count(*) FROM entries, receipts WHERE false")
    begin()
    await isRead
  })
  await isReading
  const pruning = pruneAll(store, BEFORE)
  const late = { ...posting(Date.now()), amount: 0n }
  await store.settlements.post("node", { postings: [late], opened: [], closed: [] })
  end()
  await report
  expect(await pruning).toBeGreaterThan(300)
  const left = await partitions()
  expect(left.filter((name) => old.includes(name))).toEqual([])
  expect(await verifyLedgers(store)).toMatchObject({ problems: [] })
  const { hours, uses } = await reportsOf(served)
  // Rows of today are still added, so there may be another row since.
  const prunedOf = (all: typeof hours) => all.filter(({ group }) => Number(group) < BEFORE)
  expect(prunedOf(hours)).toEqual(prunedOf(before.hours))
  expect(uses[0]?.spent).toBe(before.uses[0]?.spent ?? 0n)
  const again = store.settlements.post("node", {
    postings: [posting(OLD)],
    opened: [],
    closed: [],
  })
  expect(await rejectionOf(again)).toBe("expired")
})

test("a ledger that is copied in either direction includes the records of pruned rows", async () => {
  using folder = new TemporaryDirectory()
  using back = new TemporaryDirectory()
  const before = await prunedIn(folder)
  const left = databaseOf({ data: folder.path })
  const postgres = databaseAt({
    engine: "postgresql",
    url: await servers.urlOf("copy"),
    connections: 4,
  })
  const right = databaseOf({ data: back.path })
  for (const [from, to] of [
    [left, postgres],
    [postgres, right],
  ] as const) {
    await from.copyFrom((source) =>
      to.copyTo(source, async (reader) => {
        expect((await verifyLedgers(reader)).problems).toEqual([])
      }),
    )
    await using served = await to.openToServe(false)
    expect(await reportsOf(served)).toEqual(before)
  }
})
