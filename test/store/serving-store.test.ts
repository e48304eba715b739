import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { AUDIT } from "./audit-record.ts"
import { openServingStore } from "../../src/store/sqlite/serving-store.ts"
import { TemporaryDirectory, threadsAnswer } from "./test-database.ts"

test("a process that is no longer alone with the ledger waits for others' locks on a thread", async () => {
  using directory = new TemporaryDirectory()
  await using store = await openServingStore(directory.database, false)
  await store.accounts.create({ id: "first", name: "first", createdAt: 1 }, AUDIT)
  const before = store.accounts.list()
  await Promise.all([store.hasCompany(), store.hasCompany()])
  expect(await before).toHaveLength(1)

  using other = new Database(directory.database)
  other.run("PRAGMA busy_timeout = 5000")
  other.run("BEGIN IMMEDIATE")
  const created = store.accounts.create({ id: "second", name: "second", createdAt: 2 }, AUDIT)
  await threadsAnswer()
  expect(Bun.peek.status(created)).toBe("pending")
  other.run("COMMIT")
  expect((await created).id).toBe("second")
  expect((await store.accounts.list()).map(({ id }) => id).toSorted()).toEqual(["first", "second"])
})

test("it may close at once", async () => {
  using directory = new TemporaryDirectory()
  const store = await openServingStore(directory.database, false)
  const moving = store.hasCompany()
  await store[Symbol.asyncDispose]()
  await moving
})
