import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { chmodSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { databaseOf } from "../../src/store/installation-database.ts"
import type { Snapshot } from "../../src/store/database.ts"
import { AUDIT } from "./audit-record.ts"
import { ENGINES, rejectionOf } from "./engines.ts"
import { TemporaryDirectory, TestDatabase } from "./test-database.ts"

const FIRST = { provider: "issuer", subject: "one" }
const USER = { id: "user_1", name: "Ada", email: "ada@example.com", passwordHash: null }

async function seen({ store, users }: Snapshot) {
  const accounts = await store.accounts.list()
  const receipts = await store.settlements.listReceipts({ from: 0, until: 1_000 }, "", 10)
  return {
    balances: accounts.map(({ id, balance }) => [id, balance]),
    entries: (await store.entries.list("a", 0, 10)).length,
    receipts: receipts.length,
    debts: (await store.payments.findDebts("a")).lines.length,
    names: [...(await users.many(["user_1", "nobody"])).values()].map(({ name }) => name),
  }
}

describe.each([...ENGINES])("a snapshot on $name", (engine) => {
  test("does not change while other connections write", async () => {
    await using database = await TestDatabase.on(engine)
    using users = await engine.users(database.directory.path)
    await database.account("a", 100n)
    await users.users.create({ ...USER, identity: FIRST, isFirst: true, createdAt: 1 })
    const file = await engine.database(database.directory.path)
    const before = {
      balances: [["a", 100n]],
      entries: 1,
      receipts: 0,
      debts: 0,
      names: ["Ada"],
    }
    await file.readSnapshot(async (snapshot) => {
      await database.grant("a", 5n)
      await database.account("b", 7n)
      await users.users.change("user_1", { name: "Grace" })
      expect(await seen(snapshot)).toEqual(before)
      await database.grant("a", 5n)
      expect(await seen(snapshot)).toEqual(before)
    })
    const after = await file.readSnapshot(seen)
    expect(after).toMatchObject({ entries: 3, names: ["Grace"] })
    expect(after.balances).toEqual([
      ["a", 110n],
      ["b", 7n],
    ])
  })

  test("returns the error of a step that fails, and can be read afterwards", async () => {
    await using database = await TestDatabase.on(engine)
    await database.account("a", 1n)
    const file = await engine.database(database.directory.path)
    const failed = file.readSnapshot(async () => {
      throw new TypeError("no")
    })
    expect(await rejectionOf(failed)).toBeInstanceOf(TypeError)
    expect((await file.readSnapshot(seen)).entries).toBe(1)
  })
})

/** Creates a ledger that no process has open. */
async function closedLedger(folder: TemporaryDirectory): Promise<void> {
  using other = new TemporaryDirectory()
  await using store = await databaseOf({ data: other.path }).openStore()
  await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  await databaseOf({ data: other.path }).backUp(folder.path)
}

describe("a snapshot of a file", () => {
  test("fails without a ledger and creates no file", async () => {
    using folder = new TemporaryDirectory()
    const reading = databaseOf({ data: folder.path }).readSnapshot(seen)
    expect(await rejectionOf(reading)).toBe("not_found")
    expect(readdirSync(folder.path)).toEqual([])
  })

  test("creates no files", async () => {
    using folder = new TemporaryDirectory()
    await closedLedger(folder)
    const before = readdirSync(folder.path)
    chmodSync(folder.path, 0o500)
    const { balances, names } = await databaseOf({ data: folder.path }).readSnapshot(seen)
    chmodSync(folder.path, 0o700)
    expect([balances, names]).toEqual([[["a", 0n]], []])
    expect(readdirSync(folder.path)).toEqual(before)
  })

  test("returns a retryable error if a gateway starts with the file at the same time", async () => {
    using folder = new TemporaryDirectory()
    await closedLedger(folder)
    const database = databaseOf({ data: folder.path })
    const reading = database.readSnapshot(async (snapshot) => {
      await using store = await database.openStore()
      await store.accounts.create({ id: "b", name: "b", createdAt: 1 }, AUDIT)
      return seen(snapshot)
    })
    expect(await reading.then(String, String)).toContain("has started")
    expect((await database.readSnapshot(seen)).balances).toHaveLength(2)
  })

  test("rejects a file with another schema version", async () => {
    using folder = new TemporaryDirectory()
    await closedLedger(folder)
    using users = await databaseOf({ data: folder.path }).openConsoleStore()
    await users.users.create({ ...USER, identity: FIRST, isFirst: true, createdAt: 1 })
    using file = new Database(join(folder.path, "console.db"))
    file.run("PRAGMA user_version = 999")
    const reading = databaseOf({ data: folder.path }).readSnapshot(seen)
    expect(await rejectionOf(reading)).toBe("other_version")
  })
})
