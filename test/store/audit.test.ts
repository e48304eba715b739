import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { StoreError } from "../../src/store/store-error.ts"
import type { NewAuditRecord } from "../../src/store/audit.ts"
import { verifyAudit } from "../../src/ledger/verify/audit.ts"
import { Book, openDirectStore, TemporaryDirectory } from "./book.ts"

function change(action: string, details: Partial<NewAuditRecord> = {}): NewAuditRecord {
  return {
    at: 1_000,
    actorKind: "user",
    actorId: "user_1",
    actorName: "ada@example.com",
    action,
    account: null,
    target: null,
    before: null,
    after: null,
    address: "127.0.0.1",
    ...details,
  }
}

/** Without what the test has made beforehand. */
const BY_ADA = { actor: "ada@example.com" }

const GRANT = { account: "a", kind: "grant", amount: 5n, at: 3, note: null, author: null } as const

describe("a change and its audit record", () => {
  test("are one: the step answers, the record stands", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    const record = change("account.entry", { account: "a", after: '{"amount":"0.000000005"}' })
    expect(await book.store.entries.add(GRANT, record)).toMatchObject({ number: 1 })
    expect(await book.balanceOf("a")).toBe(5n)
    expect(await book.store.audit.list(BY_ADA, null, 10)).toMatchObject([{ ...record, number: 2 }])
  })

  test("fail together when the step is refused", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    const audited = book.store.entries.add({ ...GRANT, amount: -5n }, change("x"))
    expect(await audited.catch((error: unknown) => error)).toBeInstanceOf(StoreError)
    expect(await book.store.audit.list(BY_ADA, null, 10)).toEqual([])
  })

  test("fail together when the record cannot be written", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    using database = new Database(book.directory.database)
    database.run(
      "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END",
    )
    await expect(book.store.entries.add(GRANT, change("x"))).rejects.toThrow("broken")
    expect(await book.balanceOf("a")).toBe(0n)
    expect(await book.store.entries.list("a", 0, 10)).toEqual([])
  })

  test("are one on a thread of the store's own too", async () => {
    await using book = Book.direct()
    await book.account("a", 0n)
    const store = await book.threaded()
    expect(await store.entries.add(GRANT, change("x"))).toMatchObject({ amount: 5n })
    const missing = { ...GRANT, account: "nobody" }
    const refused = await store.entries.add(missing, change("x")).catch((e: unknown) => e)
    expect(refused).toMatchObject({ name: "StoreError", code: "not_found" })
    expect(await store.audit.list(BY_ADA, null, 10)).toHaveLength(1)
  })
})

test("the list is narrowed and paged, the newest first", async () => {
  await using book = Book.direct()
  const { store } = book
  await store.audit.append(change("key.create", { account: "a", target: "key_1", at: 10 }))
  await store.audit.append(change("key.revoke", { account: "b", target: "key_1", at: 20 }))
  await store.audit.append(change("keys", { actorId: null, actorName: "admin token", at: 30 }))
  const numbers = async (filter: object, before: number | null = null, limit = 10) =>
    (await store.audit.list(filter, before, limit)).map(({ number }) => number)
  expect(await numbers({})).toEqual([3, 2, 1])
  expect(await numbers({}, 3, 1)).toEqual([2])
  expect(await numbers({ accounts: ["a", "b"] })).toEqual([2, 1])
  expect(await numbers({ accounts: [] })).toEqual([])
  expect(await numbers({ actor: "ADMIN" })).toEqual([3])
  expect(await numbers({ actor: "user_1" })).toEqual([2, 1])
  expect(await numbers({ action: "key.*" })).toEqual([2, 1])
  expect(await numbers({ action: "key.create" })).toEqual([1])
  expect(await numbers({ target: "key_1", from: 11 })).toEqual([2])
  expect(await numbers({ from: 10, to: 20 })).toEqual([1])
})

/** A log of three records after someone has worked on its file with SQL. */
async function tampered(work: (database: Database) => void): Promise<unknown> {
  using directory = new TemporaryDirectory()
  await using store = openDirectStore(directory.database)
  for (const action of ["one", "two", "three"]) await store.audit.append(change(action))
  using database = new Database(directory.database)
  work(database)
  return verifyAudit(store)
}

describe("nobody edits the log", () => {
  test.each([
    ["UPDATE audit SET actor_name = 'somebody else' WHERE number = 2"],
    ["DELETE FROM audit WHERE number = 3"],
    ["DELETE FROM audit"],
    ["INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE number = 2"],
    ["INSERT INTO audit SELECT 9, at, 'user', '', '', '', '', '', '', '', '', '', '' FROM audit"],
  ])("%s is refused", async (sql) => {
    const verdict = await tampered((database) => {
      expect(() => database.run(sql)).toThrow("an audit record is")
    })
    expect(verdict).toEqual({ records: 3, problem: null })
  })

  test("who takes the guard away is found out by the chain", async () => {
    const unguarded = (sql: string) => (database: Database) => {
      for (const trigger of ["is_never_changed", "is_never_deleted", "only_grows"]) {
        database.run(`DROP TRIGGER audit_${trigger}`)
      }
      database.run(sql)
    }
    const cases = [
      ["UPDATE audit SET after_body = '{}' WHERE number = 2", 2],
      ["UPDATE audit SET hash = 'x' WHERE number = 1", 1],
      ["DELETE FROM audit WHERE number = 2", 2],
      ["DELETE FROM audit WHERE number = 1", 1],
      ["UPDATE audit SET at = 5", 1],
    ] as const
    for (const [sql, number] of cases) {
      expect(await tampered(unguarded(sql))).toMatchObject({ problem: { number } })
    }
  })
})
