import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StoreError } from "../../src/store/store.ts"
import { openStore } from "../../src/store/threaded-store.ts"
import { TemporaryDirectory } from "./book.ts"

describe("the store on its own thread", () => {
  test("keeps what it answered", async () => {
    using directory = new TemporaryDirectory()
    {
      await using store = await openStore(directory.database)
      await store.createAccount({ id: "account", name: "Ada", createdAt: 5 })
      const grant = { account: "account", kind: "grant" as const, note: "hello", author: "me" }
      await store.addEntry({ ...grant, amount: 2n ** 62n, at: 6 })
    }
    await using store = await openStore(directory.database)
    const expected = { id: "account", name: "Ada", createdAt: 5, balance: 2n ** 62n, leased: 0n }
    expect(await store.findAccount("Ada")).toEqual(expected)
    expect(await store.findAccount("account")).toEqual(expected)
    expect(await store.listAccounts()).toEqual([expected])
    const [entry] = await store.listEntries("account", 0, 10)
    expect(entry).toMatchObject({ number: 1, kind: "grant", amount: 2n ** 62n, note: "hello", at: 6 })
  })

  test("answers in the order it was asked", async () => {
    using directory = new TemporaryDirectory()
    await using store = await openStore(directory.database)
    const answers: number[] = []
    const calls = Array.from({ length: 20 }, (_, index) => {
      const id = `account ${index}`
      const call = index % 2 === 0 ? store.createAccount({ id, name: id, createdAt: 1 }) : store.listNodes()
      return call.then(() => answers.push(index))
    })
    await Promise.all(calls)
    expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })

  test("passes its refusals on with their code", async () => {
    using directory = new TemporaryDirectory()
    await using store = await openStore(directory.database)
    await store.createAccount({ id: "account", name: "Ada", createdAt: 5 })
    const again = store.createAccount({ id: "other", name: "Ada", createdAt: 5 })
    await expect(again).rejects.toBeInstanceOf(StoreError)
    await expect(again).rejects.toMatchObject({ code: "exists" })
    const entry = { kind: "adjustment" as const, amount: -1n, at: 1, note: null, author: null }
    const overdrawn = store.addEntry({ ...entry, account: "account" })
    await expect(overdrawn).rejects.toMatchObject({ code: "insufficient" })
    const unknown = store.addEntry({ ...entry, account: "nobody" })
    await expect(unknown).rejects.toMatchObject({ code: "not_found" })
    await expect(store.revokeKey("none", 1)).rejects.toMatchObject({ code: "not_found" })
  })

  test("refuses a file that is no database, and a folder that is not there", async () => {
    using directory = new TemporaryDirectory()
    writeFileSync(directory.database, "this is a text, and it is long enough to be looked at ".repeat(9))
    await expect(openStore(directory.database)).rejects.toThrow("not a database")
    await expect(openStore(join(directory.path, "nowhere", "tollgate.db"))).rejects.toThrow()
  })

  test("refuses a database that a newer Tollgate has written", async () => {
    using directory = new TemporaryDirectory()
    await (await openStore(directory.database))[Symbol.asyncDispose]()
    const database = new Database(directory.database)
    database.run("PRAGMA user_version = 1000")
    database.close()
    await expect(openStore(directory.database)).rejects.toThrow("a newer Tollgate")
  })

  test("fails calls after it was closed instead of leaving them open", async () => {
    using directory = new TemporaryDirectory()
    const store = await openStore(directory.database)
    await store[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    await expect(store.listAccounts()).rejects.toThrow("the store is closed")
  })

  test("leaves one file behind, so that copying it is a backup", async () => {
    using directory = new TemporaryDirectory()
    const store = await openStore(directory.database)
    await store.createAccount({ id: "account", name: "Ada", createdAt: 5 })
    await store[Symbol.asyncDispose]()
    expect(existsSync(`${directory.database}-wal`)).toBe(false)
  })
})

test("processes that open a new file at the same moment all succeed", async () => {
  using directory = new TemporaryDirectory()
  const script = new URL("./opening-process.ts", import.meta.url).pathname
  const names = ["one", "two", "three", "four"]
  const children = names.map((name) =>
    Bun.spawn([process.execPath, script, directory.database, name], {
      stdin: "pipe",
      stderr: "inherit",
    }),
  )
  for (const child of children) {
    child.stdin.write("go\n")
    await child.stdin.end()
  }
  const codes = await Promise.all(children.map((child) => child.exited))
  expect(codes).toEqual([0, 0, 0, 0])
  await using store = await openStore(directory.database)
  const accounts = (await store.listAccounts()).map(({ name }) => name)
  expect(accounts.toSorted()).toEqual(names.toSorted())
}, 15_000)
