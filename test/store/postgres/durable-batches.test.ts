import { expect, test } from "bun:test"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { PostgresServer } from "../../support/postgres-server.ts"
import { AUDIT } from "../audit-record.ts"

const LOG_WRITER = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
const REQUESTS = ["req_1", "req_2", "req_3"]

/**
 * Opens a store with its own database.
 * @returns the store, with an account that has credits.
 */
async function openFilled(server: PostgresServer, synchronousCommit: "on" | "off") {
  const name = await server.create()
  await server.administer(`ALTER DATABASE ${name} SET synchronous_commit = ${synchronousCommit}`)
  const url = server.url(name)
  const store = await databaseAt({ engine: "postgresql", url, connections: 2 }).openStore()
  await store.accounts.create({ id: "a", name: "a", createdAt: 1 }, AUDIT)
  const grant = { account: "a", kind: "grant", amount: 100n, at: 1 } as const
  await store.entries.add({ ...grant, note: null, author: null }, AUDIT)
  return store
}

test("posted batches survive a server crash, even if synchronous_commit is off", async () => {
  await using server = await PostgresServer.start({ isDurable: true })
  await using waiting = await openFilled(server, "on")
  await using hasty = await openFilled(server, "off")
  // Stops the log writer, so that only the waiting processes write the log.
  const [writer] = await server.administer<{ pid: number }>(LOG_WRITER)
  const pid = writer?.pid ?? 0
  process.kill(pid, "SIGSTOP")
  const posting = { account: "a", key: "k", budgets: [], writtenOff: [], at: 2, receipt: "{}" }
  for (const request of REQUESTS) {
    const postings = [{ ...posting, request, amount: 7n }]
    await waiting.settlements.post("node", { postings, opened: [], closed: [] })
    await hasty.settlements.post("node", { postings, opened: [], closed: [] })
  }
  server.crash()
  process.kill(pid, "SIGKILL")
  await server.restart()
  for (const store of [waiting, hasty]) {
    const entries = await store.entries.list("a", 0, 9)
    expect(entries.map(({ request }) => request)).toEqual([null, ...REQUESTS])
  }
})
