import { expect, test } from "bun:test"
import { openSync, closeSync, writeSync, renameSync } from "node:fs"
import { AUDIT } from "./audit-record.ts"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { DatabaseWatch } from "../../src/store/sqlite/database-watch.ts"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import { openThreadedStore } from "../../src/store/sqlite/serving-store.ts"
import { TestDatabase, TemporaryDirectory } from "./test-database.ts"

/** A range of bytes with pages that do not belong to the schema. */
const DAMAGE = { from: 150 * 4_096, length: 100 * 4_096 }
/** Number of rows. Each row fills a page. */
const ROWS = 300

async function longLedger(directory: TemporaryDirectory): Promise<void> {
  await using store = await databaseOf({ data: directory.path }).openStore()
  await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  const entry = { account: "a", kind: "grant", amount: 1n, author: null, at: 1 } as const
  for (let count = 0; count < ROWS; count++) {
    await store.entries.add({ ...entry, note: "x".repeat(3_000) }, AUDIT)
  }
}

function overwrite(path: string): void {
  const file = openSync(path, "r+")
  writeSync(file, Buffer.alloc(DAMAGE.length, 7), 0, DAMAGE.length, DAMAGE.from)
  closeSync(file)
}

/** Returns the fault of the ledger that the error of a step contains. */
async function faultOf(step: Promise<unknown>): Promise<string | undefined> {
  const error = await step.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof LedgerError ? error.code : undefined
}

for (const [way, open] of [
  ["alone", (path: string) => databaseAt({ engine: "sqlite", path }).openStore()],
  ["on a thread", openThreadedStore],
] as const) {
  test(`a damaged page in the database stops all charges, ${way}`, async () => {
    using directory = new TemporaryDirectory()
    await longLedger(directory)
    overwrite(directory.database)
    await using opened = await open(directory.database)
    const told: (string | undefined)[] = []
    const watch = new DatabaseWatch(directory.database, (fault) => told.push(fault?.code))
    const store = watch.over(opened)
    expect(await faultOf(store.integrity.listRows(0, ROWS))).toBe("damaged")
    watch.check()
    expect(told).toEqual(["damaged"])
    const order = { node: "node", owner: "a", wanted: 1n, min: 1n }
    expect(await faultOf(store.leases.take(order))).toBe("damaged")
    const nothing = { postings: [], opened: [], closed: [] }
    expect(await faultOf(store.settlements.post("node", nothing))).toBe("damaged")
  })
}

test("the database watch reports when a file is missing and when it returns, and ignores a rejected write", async () => {
  await using database = TestDatabase.direct()
  const told: (string | undefined)[] = []
  const path = database.directory.database
  const watch = new DatabaseWatch(path, (fault) => told.push(fault?.message))
  const store = watch.over(database.store)
  await database.account("a", 5n)
  const twice = store.accounts.create({ id: "b", name: "name of a", createdAt: 1 }, AUDIT)
  await expect(twice).rejects.toMatchObject({ code: "exists" })
  expect(watch.fault).toBeUndefined()
  renameSync(path, `${path}.away`)
  watch.check()
  watch.check()
  renameSync(`${path}.away`, path)
  watch.check()
  expect(told).toEqual([`the file of the ledger, ${path}, was deleted`, undefined])
})
