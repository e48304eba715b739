import { SQL } from "bun"
import { expect, test } from "bun:test"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { until } from "../../support/until.ts"
import { AUDIT } from "../audit-record.ts"

const databases = new TestDatabases()
const LEASES = 200
const BATCHES = 20
const READ = "SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname = 'leases'"

test("a posting reads only the leases that it uses, even before tables are analyzed", async () => {
  const url = await databases.urlOf("plans")
  await using sql = new SQL(url, { max: 1 })
  const readSoFar = async (): Promise<number> => Number((await sql.unsafe(READ))[0].read)
  const owners = Array.from({ length: LEASES }, (_, index) => `account_${index}`)
  {
    await using store = await databaseAt({ engine: "postgresql", url, connections: 2 }).openStore()
    const place = { process: 1, host: "h", machine: null, beatAt: 0 }
    await store.nodes.join({ id: "node", ...place })
    const grant = { kind: "grant", amount: 100n, at: 0, note: null, author: null } as const
    for (const id of owners) {
      await store.accounts.create({ id, name: id, createdAt: 0 }, AUDIT)
      await store.entries.add({ ...grant, account: id }, AUDIT)
      await store.leases.take({ node: "node", owner: id, wanted: 50n, min: 1n })
    }
    for (let count = 0; count < BATCHES; count++) {
      const account = owners[count] ?? ""
      const charge = { account, key: "k", budgets: [], amount: 1n, writtenOff: [] }
      const postings = [{ ...charge, request: `req_${count}`, at: 1, receipt: "{}" }]
      await store.settlements.post("node", { postings, opened: [], closed: [] })
    }
  }
  // A connection reports its reads when it ends, so the test waits for them.
  await until(async () => (await readSoFar()) > 0)
  expect(await readSoFar()).toBeLessThan(4 * (LEASES + BATCHES))
})
