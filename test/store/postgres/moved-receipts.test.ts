import { expect, test } from "bun:test"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { AUDIT } from "../audit-record.ts"

test("verification detects a receipt whose time was changed", async () => {
  const url = await new TestDatabases().urlOf("moved receipts")
  await using store = await databaseAt({
    engine: "postgresql",
    url,
    connections: 2,
  }).openStore()
  const at = Date.now()
  await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  const grant = { account: "a", kind: "grant", amount: 100n, at, note: null, author: null } as const
  await store.entries.add(grant, AUDIT)
  await store.nodes.join({ id: "n", process: 1, host: "t", beatAt: at, machine: null })
  await store.leases.take({ node: "n", owner: "a", wanted: 100n, min: 1n })
  const postings = [0, 1, 2].map((index) => ({
    request: `req_${index}`,
    account: "a",
    key: "k",
    budgets: [],
    amount: 1n,
    writtenOff: [],
    at: at + 10 * index,
    receipt: "{}",
  }))
  await store.settlements.post("n", { postings, opened: [], closed: [] })
  expect((await verifyLedgers(store)).problems).toEqual([])
  await using client = new PostgresClient({ url, max: 1, connectTime: 5_000 })
  // The new time is between the times of the other requests.
  await client.run("UPDATE receipts SET at = at + 1 WHERE request = 'req_1'")
  expect((await store.settlements.findReceipt("req_1"))?.entry).toBeNull()
  const { problems } = await verifyLedgers(store)
  expect(problems).toMatchObject([{ account: "a", number: 3, fault: "receipt" }])
})
