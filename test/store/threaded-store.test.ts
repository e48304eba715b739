import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AUDIT } from "./audit-record.ts"
import { StoreError } from "../../src/store/store-error.ts"
import { openThreadedStore } from "../../src/store/sqlite/serving-store.ts"
import { TemporaryDirectory, threadsResponse } from "./test-database.ts"

/**
 * Returns the error with which a promise is rejected. The `rejects` of an expectation cannot be used, because it runs
 * the event loop inside the test, which loses messages of a thread.
 */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe("the store on its own thread", () => {
  test("keeps the rows that were written", async () => {
    using directory = new TemporaryDirectory()
    {
      await using store = await openThreadedStore(directory.database)
      await store.accounts.create({ id: "account", name: "Ada", createdAt: 5 }, AUDIT)
      const grant = { account: "account", kind: "grant" as const, note: "hello", author: "me" }
      await store.entries.add({ ...grant, amount: 2n ** 62n, at: 6 }, AUDIT)
    }
    await using store = await openThreadedStore(directory.database)
    const expected = {
      id: "account",
      name: "Ada",
      createdAt: 5,
      balance: 2n ** 62n,
      leased: 0n,
      debt: 0n,
      storesContent: false,
      state: "active",
      limits: {},
      dailyLeft: null,
      monthlyLeft: null,
    } as const
    expect(await store.accounts.find("Ada")).toEqual(expected)
    expect(await store.accounts.find("account")).toEqual(expected)
    expect(await store.accounts.list()).toEqual([expected])
    const [entry] = await store.entries.list("account", 0, 10)
    expect(entry).toMatchObject({
      number: 1,
      kind: "grant",
      amount: 2n ** 62n,
      note: "hello",
      at: 6,
    })
  })

  test("returns results in the order of the calls", async () => {
    using directory = new TemporaryDirectory()
    await using store = await openThreadedStore(directory.database)
    const responses: number[] = []
    const calls = Array.from({ length: 20 }, (_, index) => {
      const id = `account ${index}`
      const call =
        index % 2 === 0
          ? store.accounts.create({ id, name: id, createdAt: 1 }, AUDIT)
          : store.nodes.list()
      return call.then(() => responses.push(index))
    })
    await Promise.all(calls)
    expect(responses).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })

  test("returns errors with their code", async () => {
    using directory = new TemporaryDirectory()
    await using store = await openThreadedStore(directory.database)
    await store.accounts.create({ id: "account", name: "Ada", createdAt: 5 }, AUDIT)
    const again = await failureOf(
      store.accounts.create({ id: "other", name: "Ada", createdAt: 5 }, AUDIT),
    )
    expect(again).toBeInstanceOf(StoreError)
    expect(again).toMatchObject({ code: "exists" })
    const entry = { kind: "adjustment" as const, amount: -1n, at: 1, note: null, author: null }
    const overdrawn = await failureOf(store.entries.add({ ...entry, account: "account" }, AUDIT))
    expect(overdrawn).toMatchObject({ code: "insufficient" })
    const unknown = await failureOf(store.entries.add({ ...entry, account: "nobody" }, AUDIT))
    expect(unknown).toMatchObject({ code: "not_found" })
    expect(await failureOf(store.keys.revoke("none", 1, AUDIT))).toMatchObject({
      code: "not_found",
    })
  })

  test("rejects a file that is not a database, and a missing folder", async () => {
    using directory = new TemporaryDirectory()
    writeFileSync(
      directory.database,
      "this is a text, and it is long enough to be looked at ".repeat(9),
    )
    expect(await failureOf(openThreadedStore(directory.database))).toMatchObject({
      message: expect.stringContaining("not a database"),
    })
    expect(
      await failureOf(openThreadedStore(join(directory.path, "nowhere", "tollgate.db"))),
    ).toMatchObject({ message: expect.stringContaining("") })
  })

  test("rejects a database that a newer Tollgate version has written", async () => {
    using directory = new TemporaryDirectory()
    await (await openThreadedStore(directory.database))[Symbol.asyncDispose]()
    const database = new Database(directory.database)
    database.run("PRAGMA busy_timeout = 5000")
    database.run("PRAGMA user_version = 1000")
    database.close()
    const failure = await failureOf(openThreadedStore(directory.database))
    expect(String(failure)).toContain("a newer Tollgate")
  })

  test("rejects calls after the store is closed", async () => {
    using directory = new TemporaryDirectory()
    const store = await openThreadedStore(directory.database)
    await store[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    expect(await failureOf(store.accounts.list())).toMatchObject({
      message: expect.stringContaining("the store is closed"),
    })
  })

  test("stores all data in a single file, so that a copy of the file is a backup", async () => {
    using directory = new TemporaryDirectory()
    const store = await openThreadedStore(directory.database)
    await store.accounts.create({ id: "account", name: "Ada", createdAt: 5 }, AUDIT)
    await store[Symbol.asyncDispose]()
    const rest = `${directory.database}-wal`
    expect(existsSync(rest) ? statSync(rest).size : 0).toBe(0)
  })
})

test("a threaded store waits for a new file that another process creates", async () => {
  using directory = new TemporaryDirectory()
  const other = new Database(directory.database, { create: true })
  other.run("BEGIN EXCLUSIVE")
  const opening = openThreadedStore(directory.database)
  await threadsResponse()
  expect(Bun.peek.status(opening)).toBe("pending")
  other.run("COMMIT")
  other.close()
  await using store = await opening
  expect(await store.accounts.list()).toEqual([])
})

test("a new threaded store can be opened by several processes simultaneously", async () => {
  using directory = new TemporaryDirectory()
  const script = Bun.fileURLToPath(new URL("./opening-process.ts", import.meta.url))
  const names = ["one", "two", "three", "four"]
  const children = names.map((name) =>
    Bun.spawn([process.execPath, script, directory.database, name], {
      stdin: "pipe",
      stderr: "inherit",
    }),
  )
  for (const child of children) {
    void child.stdin.write("go\n")
    await child.stdin.end()
  }
  const codes = await Promise.all(children.map((child) => child.exited))
  expect(codes).toEqual([0, 0, 0, 0])
  await using store = await openThreadedStore(directory.database)
  const accounts = (await store.accounts.list()).map(({ name }) => name)
  expect(accounts.toSorted()).toEqual(names.toSorted())
})
