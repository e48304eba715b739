import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase } from "./test-database.ts"

type Payer = Awaited<ReturnType<TestDatabase["account"]>>

function lastRow(ledgerDatabase: TestDatabase): number {
  using database = new Database(ledgerDatabase.directory.database, { readonly: true })
  const row = database.query<{ last: number }, []>("SELECT max(rowid) AS last FROM entries").get()
  return row?.last ?? 0
}

async function settle(
  database: TestDatabase,
  ledger: Awaited<ReturnType<TestDatabase["ledger"]>>,
  account: Payer,
) {
  await ledger.lease(account, 20n)
  const order = database.order(account, 20n)
  const hold = ledger.tryHold(order)
  if (!hold) throw new Error("nothing could be held")
  await ledger.settle(hold, 7n, () => `{"id":"${order.request}"}`)
}

test("the ledger anchor advances with each batch, and includes batches of other writers", async () => {
  await using database = TestDatabase.direct()
  const account = await database.account("busy", 500n)
  const ledger = await database.ledger("node")
  await database.store.integrity.advanceAnchor(1)
  await settle(database, ledger, account)
  await settle(database, ledger, account)
  expect((await database.store.integrity.findAnchor()).lastRow).toBe(lastRow(database))

  await database.grant("busy", 5n)
  await settle(database, ledger, account)
  expect((await database.store.integrity.findAnchor()).lastRow).toBe(lastRow(database) - 2)
  const { anchor } = await database.store.integrity.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(database), rowCount: lastRow(database) })

  await settle(database, ledger, account)
  expect((await database.store.integrity.findAnchor()).lastRow).toBe(lastRow(database))
  expect((await verifyLedgers(database.store)).problems).toEqual([])
})

/** The number of batches after which a process is the only writer for certain. */
const ALONE = 110

test("the ledger anchor of a single writer advances occasionally, and advances to the last row on request", async () => {
  await using database = TestDatabase.direct()
  const account = await database.account("busy", 5_000n)
  const ledger = await database.ledger("node")
  await database.store.integrity.advanceAnchor(1)
  const behind: number[] = []
  for (let count = 0; count < ALONE + 70; count++) {
    await settle(database, ledger, account)
    behind.push(lastRow(database) - (await database.store.integrity.findAnchor()).lastRow)
  }
  expect(Math.max(...behind)).toBe(31)
  expect(behind.filter((rows) => rows === 0).length).toBeLessThan(ALONE)
  const { anchor } = await database.store.integrity.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(database), rowCount: lastRow(database) })
  expect((await verifyLedgers(database.store)).problems).toEqual([])
})

test("a pending update of the ledger anchor survives other writers and failed batches", async () => {
  await using database = TestDatabase.direct()
  const account = await database.account("busy", 50_000n)
  const ledger = await database.ledger("node")
  await database.store.integrity.advanceAnchor(1)
  const other = await database.another()
  const others = await database.ledger("other", other)
  for (let count = 0; count < ALONE; count++) await settle(database, ledger, account)
  // The next batch collides with this row. The batch then starts again and searches for each of its requests first.
  const taken = database.order(account, 20n)
  for (const own of [others, ledger]) {
    await own.lease(account, 20n)
    const hold = own.tryHold(taken)
    if (hold) await own.settle(hold, 7n, () => "{}")
  }
  for (let count = 0; count < 300; count++) {
    const dice = (count * 7_919) % 23
    if (dice === 0) await database.grant("busy", 1n)
    else if (dice === 1) await settle(database, others, account)
    else if (dice === 2 && count > 150)
      await (count % 2 ? database.store : other).integrity.advanceAnchor(count)
    else await settle(database, ledger, account)
  }
  for (let count = 0; count < ALONE + 10; count++) await settle(database, ledger, account)
  await other.integrity.advanceAnchor(2)
  const { anchor } = await database.store.integrity.advanceAnchor(3)
  expect(anchor).toMatchObject({ lastRow: lastRow(database), rowCount: lastRow(database) })
  expect((await verifyLedgers(database.store)).problems).toEqual([])
})

test("the ledger anchor never includes rows of a failed transaction", async () => {
  await using database = TestDatabase.direct()
  const account = await database.account("busy", 50_000n)
  const ledger = await database.ledger("node")
  await database.store.integrity.advanceAnchor(1)
  for (let count = 0; count < ALONE; count++) await settle(database, ledger, account)
  database.change(
    "CREATE TRIGGER no_end BEFORE UPDATE OF posted ON balances BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  await ledger.lease(account, 20n)
  const posting = { account: "busy", key: "key", budgets: [], amount: 7n, writtenOff: [], at: 3 }
  const batch = {
    postings: [{ ...posting, request: "req_lost", receipt: "{}" }],
    opened: [],
    closed: [],
  }
  await expect(database.store.settlements.post("node", batch)).rejects.toThrow("no")
  database.change("DROP TRIGGER no_end")
  await database.store.settlements.post("node", {
    ...batch,
    postings: [{ ...posting, request: "req_kept", receipt: "{}" }],
  })
  for (let count = 0; count < ALONE; count++) await settle(database, ledger, account)
  const { anchor } = await database.store.integrity.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(database), rowCount: lastRow(database) })
  expect((await verifyLedgers(database.store)).problems).toEqual([])
})
