import { SQL } from "bun"
import { expect, test } from "bun:test"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"
import { until } from "../../support/until.ts"
import { AUDIT } from "../audit-record.ts"
import { posting } from "../contract/pruning.ts"

const databases = new TestDatabases()
const RECEIPTS = 4_000
const PAGE = 40
const READ = `SELECT sum(idx_tup_fetch + seq_tup_read) AS read FROM pg_stat_user_tables
  WHERE relname LIKE 'receipts%'`

test.each([{}, { account: "a" }, { from: Date.now() - 100_000 }])(
  "all pages of a receipt list together read each receipt about once, with %j",
  async (filter) => {
    const url = await databases.urlOf(JSON.stringify(filter))
    await using sql = new SQL(url, { max: 1 })
    const readSoFar = async (): Promise<number> => Number((await sql.unsafe(READ))[0].read)
    const database = databaseAt({ engine: "postgresql", url, connections: 2 })
    const now = Date.now()
    {
      await using store = await database.openStore()
      await store.accounts.create({ id: "a", name: "a", createdAt: 0 }, AUDIT)
      const grant = { kind: "grant", amount: 100n, at: 0, note: null, author: null } as const
      await store.entries.add({ ...grant, account: "a" }, AUDIT)
      const place = { process: 1, host: "h", machine: null, beatAt: 0 }
      await store.nodes.join({ id: "node", ...place })
      const change = { account: "a", amount: 0n }
      const postings = Array.from({ length: RECEIPTS }, (_, index) => posting(now - index, change))
      await store.settlements.post("node", { postings, opened: [], closed: [] })
    }
    // A connection reports its reads when it ends, so the test waits for them.
    await until(async () => (await readSoFar()) >= 0)
    const before = await readSoFar()
    let found = 0
    await database.readSnapshot(async ({ store }) => {
      const wanted = { from: 0, until: now + 1, ...filter }
      for (let last: string | undefined = ""; last !== undefined;) {
        const page = await store.settlements.listReceipts(wanted, last, PAGE)
        found += page.length
        last = page.at(-1)?.request
      }
    })
    expect(found).toBe(RECEIPTS)
    await until(async () => (await readSoFar()) >= before + RECEIPTS)
    expect((await readSoFar()) - before).toBeLessThan(3 * RECEIPTS)
  },
)
