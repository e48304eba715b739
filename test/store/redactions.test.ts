import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { hashAudit } from "../../src/accounting/hash-chain.ts"
import { verifyAudit } from "../../src/ledger/verify/audit.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { AUDIT } from "./audit-record.ts"
import { TestDatabase } from "./test-database.ts"

const EMAIL = "ada@example.com"
const GRANT = { account: "a", kind: "grant", amount: 5n, at: 3, note: null } as const

/** Returns a ledger from which a person was erased, with its file. */
async function erased(): Promise<TestDatabase> {
  const database = TestDatabase.direct()
  const { audit, entries, personKeys } = database.store
  await database.account("a", 0n)
  await audit.append({ ...AUDIT, actorKind: "user", actorId: "user_ada", actorName: EMAIL })
  await audit.append({ ...AUDIT, action: "other" })
  await entries.add({ ...GRANT, author: EMAIL }, AUDIT)
  await personKeys.erase(
    { person: "user_ada", addresses: [EMAIL], addressHashes: [], at: 1 },
    { ...AUDIT, action: "user.erase", target: "user_ada" },
  )
  return database
}

test("a redacted audit record cannot be changed or deleted", async () => {
  await using database = await erased()
  using file = new Database(database.directory.database)
  for (const sql of [
    "UPDATE audit SET at = 7 WHERE number = 2",
    "UPDATE audit SET hash = 'x' WHERE number = 2",
    "UPDATE audit SET actor_name = 'x' WHERE number = 3",
    "DELETE FROM audit WHERE number = 2",
  ]) {
    expect(() => file.run(sql)).toThrow("an audit record is never")
  }
})

test.each([
  ["UPDATE audit SET actor_name = 'somebody' WHERE number = 2", 2, "changed"],
  ["UPDATE audit SET after_body = '{}' WHERE number = 2", 2, "changed"],
  ["DELETE FROM redactions WHERE account IS NULL", 2, "changed"],
  ["DELETE FROM redactions WHERE account = 'a'", 5, "does not cover"],
  ["UPDATE redactions SET record = 3 WHERE account = 'a'", 3, "does not cover"],
])("the manipulation of a redacted record is detected: %s", async (sql, number, words) => {
  await using database = await erased()
  using file = new Database(database.directory.database)
  file.run(sql)
  expect(await verifyAudit(database.store)).toEqual({
    records: 5,
    problem: { number, message: expect.stringContaining(words) },
  })
})

test("a change with a forged redaction is detected", async () => {
  await using database = await erased()
  using file = new Database(database.directory.database)
  const [record] = await database.store.audit.list({ action: "other" }, null, 1)
  if (!record) throw new Error("there is no such record")
  const hash = hashAudit({ ...record, actorName: "somebody else" })
  file.run("INSERT INTO redactions VALUES (5, NULL, 3, ?)", [hash])
  file.run("UPDATE audit SET actor_name = 'somebody else' WHERE number = 3")
  expect(await verifyAudit(database.store)).toMatchObject({ problem: { number: 5 } })
})

test("verification detects a change of a redacted ledger entry", async () => {
  await using database = await erased()
  using file = new Database(database.directory.database)
  file.run("UPDATE entries SET author = 'somebody else' WHERE number = 1")
  const { problems } = await verifyLedgers(database.store)
  expect(problems).toMatchObject([{ account: "a", number: 1, fault: "hash" }])
})
