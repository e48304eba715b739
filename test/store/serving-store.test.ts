import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { mkdirSync, renameSync } from "node:fs"
import { AUDIT } from "./audit-record.ts"
import { openServingStore } from "../../src/store/sqlite/serving-store.ts"
import { TemporaryDirectory, threadsResponse } from "./test-database.ts"

test("a process that shares the ledger waits for locks on a thread other than the event loop's", async () => {
  using directory = new TemporaryDirectory()
  await using store = await openServingStore(directory.database, false)
  await store.accounts.create({ id: "first", name: "first", createdAt: 1 }, AUDIT)
  const before = store.accounts.list()
  await Promise.all([store.becomeShared(), store.becomeShared()])
  expect(await before).toHaveLength(1)

  using other = new Database(directory.database)
  other.run("PRAGMA busy_timeout = 5000")
  other.run("BEGIN IMMEDIATE")
  const created = store.accounts.create({ id: "second", name: "second", createdAt: 2 }, AUDIT)
  await threadsResponse()
  expect(Bun.peek.status(created)).toBe("pending")
  other.run("COMMIT")
  expect((await created).id).toBe("second")
  expect((await store.accounts.list()).map(({ id }) => id).toSorted()).toEqual(["first", "second"])
})

test("a process that a newer version replaces can use and close its open store", async () => {
  using directory = new TemporaryDirectory()
  const store = await openServingStore(directory.database, false)
  using newer = new Database(directory.database)
  newer.run("PRAGMA user_version = 1000")
  await store.becomeShared()
  await store.accounts.create({ id: "first", name: "first", createdAt: 1 }, AUDIT)
  expect(await store.accounts.list()).toHaveLength(1)
  await store[Symbol.asyncDispose]()
  await expect(openServingStore(directory.database, true)).rejects.toThrow(
    "the database was written by a newer Tollgate (schema 1000",
  )
})

test("a store closes even if it could not be opened on a thread", async () => {
  using directory = new TemporaryDirectory()
  const store = await openServingStore(directory.database, false)
  renameSync(directory.database, `${directory.database}.away`)
  mkdirSync(directory.database)
  await expect(store.becomeShared()).rejects.toThrow()
  await store[Symbol.asyncDispose]()
})

test("a store can be closed immediately after it was opened", async () => {
  using directory = new TemporaryDirectory()
  const store = await openServingStore(directory.database, false)
  const moving = store.becomeShared()
  await store[Symbol.asyncDispose]()
  await moving
})

test("the write-ahead log restarts even if commits never pause", async () => {
  using directory = new TemporaryDirectory()
  await using store = await openServingStore(directory.database, false)
  // Each restart changes the salt in the header of the log.
  const saltOf = async () =>
    Buffer.from(await Bun.file(`${directory.database}-wal`).slice(16, 24).arrayBuffer()).toString(
      "hex",
    )
  const salt = await saltOf()
  let number = 0
  while ((await saltOf()) === salt) {
    for (let count = 0; count < 100; count++) {
      const id = `account ${number++}`
      await store.accounts.create({ id, name: `${id} ${"x".repeat(20_000)}`, createdAt: 1 }, AUDIT)
    }
  }
})
