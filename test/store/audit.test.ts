import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import type { NewAuditRecord } from "../../src/store/audit.ts"
import { verifyAudit } from "../../src/ledger/verify/audit.ts"
import { TestDatabase, openDirectStore, TemporaryDirectory } from "./test-database.ts"

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

const GRANT = { account: "a", kind: "grant", amount: 5n, at: 3, note: null, author: null } as const

test("a change fails if its audit record cannot be written", async () => {
  await using ledgerDatabase = TestDatabase.direct()
  await ledgerDatabase.account("a", 0n)
  using database = new Database(ledgerDatabase.directory.database)
  database.run(
    "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END",
  )
  await expect(ledgerDatabase.store.entries.add(GRANT, change("x"))).rejects.toThrow("broken")
  expect(await ledgerDatabase.balanceOf("a")).toBe(0n)
  expect(await ledgerDatabase.store.entries.list("a", 0, 10)).toEqual([])
})

/** Returns the verification of a log of three records after its file was changed with SQL. */
async function tampered(work: (database: Database) => void): Promise<unknown> {
  using directory = new TemporaryDirectory()
  await using store = openDirectStore(directory.database)
  for (const action of ["one", "two", "three"]) await store.audit.append(change(action))
  using database = new Database(directory.database)
  work(database)
  return await verifyAudit(store)
}

describe("protection of the audit log", () => {
  test.each([
    ["UPDATE audit SET actor_name = 'somebody else' WHERE number = 2"],
    ["DELETE FROM audit WHERE number = 3"],
    ["DELETE FROM audit"],
    ["INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE number = 2"],
    ["INSERT INTO audit SELECT 9, at, 'user', '', '', '', '', '', '', '', '', '', '' FROM audit"],
  ])("rejects %s", async (sql) => {
    const verdict = await tampered((database) => {
      expect(() => database.run(sql)).toThrow("an audit record is")
    })
    expect(verdict).toEqual({ records: 3, problem: null })
  })

  test("detects a change by the hash chain even if the triggers were removed", async () => {
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

describe("the check for a truncated audit log", () => {
  const GUARDS = ["is_never_changed", "is_never_deleted", "only_grows"]
  const CUTS = [
    ["its last record", "DELETE FROM audit WHERE number = 3", 3],
    ["all records", "DELETE FROM audit", 3],
  ] as const

  test.each(CUTS)("detects the removal of %s by the anchor file", async (_name, sql, number) => {
    await using database = TestDatabase.direct()
    const { audit, integrity } = database.store
    for (const action of ["one", "two", "three"]) await audit.append(change(action))
    await integrity.advanceAnchor(1)
    using file = new Database(database.directory.database)
    for (const guard of GUARDS) file.run(`DROP TRIGGER audit_${guard}`)
    file.run(sql)
    // The gateway continues to work, and its anchor advances.
    await integrity.advanceAnchor(2)
    const cut = await integrity.findAnchor()
    expect(await verifyAudit(database.store, [cut.audit])).toMatchObject({ problem: { number } })
    for (const action of ["four", "five", "six"]) await audit.append(change(action))
    await integrity.advanceAnchor(3)
    const rewritten = await integrity.findAnchor()
    expect(await verifyAudit(database.store, [rewritten.audit])).toMatchObject({
      problem: { number, message: "it differs from the one that an anchor covers" },
    })
  })

  test("detects a log that contradicts one of two different anchors", async () => {
    await using database = TestDatabase.direct()
    const { hash } = await database.store.audit.append(change("one"))
    for (const ends of [
      [
        { number: 1, hash: "0" },
        { number: 1, hash },
      ],
      [
        { number: 1, hash },
        { number: 1, hash: "0" },
      ],
    ]) {
      expect(await verifyAudit(database.store, ends)).toMatchObject({ problem: { number: 1 } })
    }
  })
})
