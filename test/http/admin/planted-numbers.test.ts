import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { databaseFileIn } from "../../../src/store/sqlite/database-file.ts"
import { CHAT, HELLO } from "../../relay/support.ts"
import { LEDGERS } from "../../support/databases.ts"
import type { TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { REPORTS } from "./report-paths.ts"
import { ask, startManaged } from "./support.ts"

const LARGEST = "9223372036854775807"

/** A receipt in the form of a version without maximum values, written after an absurd response. */
const RECEIPT = {
  status: "settled",
  endpoint: "/v1/chat/completions",
  model: "sim/echo",
  deployment: "sim/echo",
  first_byte_ms: 1e300,
  duration_ms: 2 ** 63,
  stream: false,
  estimated: false,
  user: "u",
  tags: { a: "b" },
  usage: { input: 2 ** 53, output: 1e308, cached_input: 18446744073709552000 },
  price: { multiplier: "2", per_million: { input: "3" } },
  arithmetic: [{ class: "input", quantity: 2 ** 53 - 1, per_million: "999999999" }],
  cost: "45035996273704955",
  provider_cost: "45035996273.704955",
  hold: "1",
  attempts: [
    {
      deployment: "sim/echo",
      status: 200,
      outcome: "ok",
      duration: 1e300,
      provider_cost: "9".repeat(30),
    },
  ],
  losses: [],
}

/** Writes directly to the file. This test does not concern the protection of the ledger against changes. */
function plantInFile(gateway: TestGateway): void {
  using database = new Database(databaseFileIn(gateway.settings.data))
  database.run("PRAGMA busy_timeout = 5000")
  const triggers = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`)
  database.run("UPDATE entries SET receipt = ? WHERE receipt IS NOT NULL", [
    JSON.stringify(RECEIPT),
  ])
  database.run(
    `INSERT INTO write_offs (number, at, account, key, request, amount, reason, previous_hash, hash)
     SELECT rowid, at, account, key, request, ${LARGEST}, 'usage_beyond_bound', '', '' FROM entries
       WHERE request IS NOT NULL
     UNION ALL SELECT rowid + 100, at, account, key, request, ${LARGEST}, 'late', '', '' FROM entries
       WHERE request IS NOT NULL`,
  )
}

async function plantInServer(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  try {
    await sql`UPDATE receipts SET body = ${JSON.stringify(RECEIPT)}`
    await sql.unsafe(
      `UPDATE receipts SET provider_cost = ${LARGEST}, input = ${LARGEST}, output = ${LARGEST},
         written_off = ${LARGEST}, duration = ${LARGEST}, first_byte = ${LARGEST};
       UPDATE usage_hours SET provider_cost = ${LARGEST}, cost = ${LARGEST}, written_off = ${LARGEST};
       INSERT INTO usage_hours SELECT hour - 1, account, key, model, provider, outcome, endpoint, price_group, requests,
         errors, input, output, cost, written_off, provider_cost, durations, duration, first_bytes, first_byte FROM usage_hours`,
    )
  } finally {
    await sql.close({ timeout: 0 })
  }
}

for (const [name, settings] of Object.entries(LEDGERS).slice(0, 2)) {
  test(`${name} reads a ledger with out-of-range numbers that an older version has written`, async () => {
    await using gateway = await startManaged({ settings: await settings() })
    const caller = await gateway.caller("100")
    for (let request = 0; request < 3; request++) {
      const response = await caller.post(CHAT, { model: "sim/echo", messages: HELLO, user: "u" })
      await response.text()
      expect(response.status).toBe(200)
    }
    const { database } = gateway.settings
    if (database) await plantInServer(database.url)
    else plantInFile(gateway)
    for (const path of REPORTS) {
      const response = await ask(gateway, "GET", path)
      const text = await response.text()
      expect(`${path}: ${response.status} ${response.ok ? "" : text}`).toBe(`${path}: 200 `)
    }
    // Charges continue, also in the same hour.
    const response = await caller.post(CHAT, { model: "sim/echo", messages: HELLO, user: "u" })
    expect(response.status).toBe(200)
    const id = response.headers.get("x-request-id") ?? ""
    await response.text()
    await until(async () => (await gateway.store.settlements.findReceipt(id)) !== null)
    const overview = await ask(gateway, "GET", "/usage/overview")
    expect(overview.status).toBe(200)
    const list = (await (await ask(gateway, "GET", "/receipts")).json()) as { data: unknown[] }
    expect(list.data).toHaveLength(4)
  })
}

test("SQLite rebuilds a deleted report index from a ledger with out-of-range numbers", async () => {
  await using gateway = await startManaged()
  const caller = await gateway.caller("100")
  const response = await caller.post(CHAT, { model: "sim/echo", messages: HELLO })
  await response.text()
  plantInFile(gateway)
  for (const file of ["reports.db", "reports.db-wal", "reports.db-shm"]) {
    rmSync(join(gateway.settings.data, file), { force: true })
  }
  expect((await ask(gateway, "GET", "/receipts")).status).toBe(200)
})
