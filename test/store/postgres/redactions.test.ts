import { expect, test } from "bun:test"
import { verifyAudit } from "../../../src/ledger/verify/audit.ts"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { AUDIT } from "../audit-record.ts"

const databases = new TestDatabases()
const EMAIL = "ada@example.com"

test("the server and the hash chain protect a redacted record", async () => {
  const url = await databases.urlOf("redacted")
  await using client = new PostgresClient({ url, max: 2, connectTime: 5_000 })
  await using store = await databaseAt({ engine: "postgresql", url, connections: 2 }).openStore()
  await store.audit.append({ ...AUDIT, actorKind: "user", actorId: "user_ada", actorName: EMAIL })
  await store.audit.append({ ...AUDIT, action: "other" })
  await store.personKeys.erase(
    { person: "user_ada", addresses: [EMAIL], addressHashes: [], at: 1 },
    { ...AUDIT, action: "user.erase", target: "user_ada" },
  )
  expect(await verifyAudit(store)).toEqual({ records: 3, problem: null })
  for (const sql of [
    "UPDATE audit SET at = 7 WHERE number = 1",
    "UPDATE audit SET hash = 'x' WHERE number = 1",
    "UPDATE audit SET actor_name = 'x' WHERE number = 2",
    "DELETE FROM audit WHERE number = 1",
  ]) {
    const rejected = await client.run(sql).then(String, String)
    expect([sql, rejected]).toEqual([sql, expect.stringContaining("is never changed or deleted")])
  }
  await client.run("UPDATE audit SET actor_name = 'somebody' WHERE number = 1")
  expect(await verifyAudit(store)).toMatchObject({ problem: { number: 1 } })
})
