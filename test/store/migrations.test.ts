import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { AUDIT } from "./audit-record.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { openDirectStore, TemporaryDirectory } from "./test-database.ts"

/** Written by the version whose charges and receipts were two rows. */
const SCHEMA_1 = join(import.meta.dir, "book-of-schema-1.sql")

async function oldLedger(): Promise<TemporaryDirectory> {
  const directory = new TemporaryDirectory()
  using database = new Database(directory.database)
  database.run(await Bun.file(SCHEMA_1).text())
  return directory
}

test("an older ledger comes through with every line, hash and receipt", async () => {
  using directory = await oldLedger()
  await using store = openDirectStore(directory.database)
  expect(await verifyLedgers(store)).toMatchObject({ accounts: 2, entries: 7, problems: [] })
  const numbers = [2, null, 3, null, 2, 3]
  for (const [index, id] of ["req_1", "req_3", "req_4", "req_6", "req_2", "req_5"].entries()) {
    const receipt = await store.settlements.findReceipt(id)
    expect(receipt).toMatchObject({ request: id, account: index < 4 ? "left" : "right" })
    expect(JSON.parse(receipt!.body)).toMatchObject({ id })
    expect(receipt?.entry?.number ?? null).toBe(numbers[index]!)
  }
  expect(await store.settlements.findReceipt("req_1")).toMatchObject({
    key: "thrifty",
    entry: { amount: -30n },
  })
})

test("an older ledger goes on: its requests are not charged again, new ones follow its last line", async () => {
  using directory = await oldLedger()
  await using store = openDirectStore(directory.database)
  await store.nodes.join({ id: "node", process: 1, host: "test", beatAt: 1, machine: null })
  await store.leases.take({ node: "node", owner: "left", wanted: 100n, min: 1n })
  const payer = { account: "left", key: "key", budgets: [] }
  const charge = { ...payer, amount: 5n, writtenOff: [], at: 40, receipt: "{}" }
  const postings = ["req_4", "req_6", "req_7"].map((request) => ({ ...charge, request }))
  const posted = await store.settlements.post("node", { postings, opened: [], closed: [] })
  expect(posted.map(({ charged }) => charged)).toEqual([7n, 0n, 5n])
  expect(await store.settlements.findReceipt("req_7")).toMatchObject({
    entry: { number: 4, balance: 958n },
  })
  expect(await verifyLedgers(store)).toMatchObject({ accounts: 2, entries: 8, problems: [] })
})

test("the keys of an older ledger have no aliases, and can be given some", async () => {
  using directory = await oldLedger()
  await using store = openDirectStore(directory.database)
  const { keys } = await store.keys.listChanged(-1)
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.map(({ aliases }) => aliases)).toEqual(keys.map(() => null))
  const aliases = { "gpt-4o": "sim/echo" }
  expect((await store.keys.update(keys[0]!.id, { aliases }, AUDIT)).aliases).toEqual(aliases)
})

test("a receipt that an older ledger had lost is still missed", async () => {
  using directory = await oldLedger()
  using database = new Database(directory.database)
  database.run("DELETE FROM receipts WHERE request = 'req_4'")
  database.close()
  await using store = openDirectStore(directory.database)
  const { problems } = await verifyLedgers(store)
  expect(problems).toMatchObject([{ account: "left", number: 3, fault: "receipt" }])
})
