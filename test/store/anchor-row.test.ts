import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { Book } from "./book.ts"

type Payer = Awaited<ReturnType<Book["account"]>>

function lastRow(book: Book): number {
  using database = new Database(book.directory.database, { readonly: true })
  const row = database.query<{ last: number }, []>("SELECT max(rowid) AS last FROM entries").get()
  return row?.last ?? 0
}

async function settle(book: Book, ledger: Awaited<ReturnType<Book["ledger"]>>, account: Payer) {
  await ledger.lease(account, 20n)
  const order = book.order(account, 20n)
  const hold = ledger.tryHold(order)
  if (!hold) throw new Error("nothing could be held")
  await ledger.settle(hold, 7n, () => `{"id":"${order.request}"}`)
}

test("the anchor goes on with each batch, and catches up with what others have written", async () => {
  await using book = Book.direct()
  const account = await book.account("busy", 500n)
  const ledger = await book.ledger("node")
  await book.store.integrity.advanceAnchor(1)
  await settle(book, ledger, account)
  await settle(book, ledger, account)
  expect((await book.store.integrity.findAnchor()).lastRow).toBe(lastRow(book))

  await book.grant("busy", 5n)
  await settle(book, ledger, account)
  expect((await book.store.integrity.findAnchor()).lastRow).toBe(lastRow(book) - 2)
  const { anchor } = await book.store.integrity.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(book), rowCount: lastRow(book) })

  await settle(book, ledger, account)
  expect((await book.store.integrity.findAnchor()).lastRow).toBe(lastRow(book))
  expect((await verifyLedgers(book.store)).problems).toEqual([])
})

/** So many batches that a process knows that it writes alone. */
const ALONE = 110

test("who writes alone brings the anchor on now and then, and wholly when asked", async () => {
  await using book = Book.direct()
  const account = await book.account("busy", 5_000n)
  const ledger = await book.ledger("node")
  await book.store.integrity.advanceAnchor(1)
  const behind: number[] = []
  for (let count = 0; count < ALONE + 70; count++) {
    await settle(book, ledger, account)
    behind.push(lastRow(book) - (await book.store.integrity.findAnchor()).lastRow)
  }
  expect(Math.max(...behind)).toBe(31)
  expect(behind.filter((rows) => rows === 0).length).toBeLessThan(ALONE)
  const { anchor } = await book.store.integrity.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(book), rowCount: lastRow(book) })
  expect((await verifyLedgers(book.store)).problems).toEqual([])
})

test("what waits for the anchor outlives others' writes, and batches that come to nothing", async () => {
  await using book = Book.direct()
  const account = await book.account("busy", 50_000n)
  const ledger = await book.ledger("node")
  await book.store.integrity.advanceAnchor(1)
  const other = await book.another()
  const others = await book.ledger("other", other)
  for (let count = 0; count < ALONE; count++) await settle(book, ledger, account)
  // A row that the next batch collides with: it begins again, by the way that looks for each request first.
  const taken = book.order(account, 20n)
  for (const own of [others, ledger]) {
    await own.lease(account, 20n)
    const hold = own.tryHold(taken)
    if (hold) await own.settle(hold, 7n, () => "{}")
  }
  for (let count = 0; count < 300; count++) {
    const dice = (count * 7_919) % 23
    if (dice === 0) await book.grant("busy", 1n)
    else if (dice === 1) await settle(book, others, account)
    else if (dice === 2 && count > 150)
      await (count % 2 ? book.store : other).integrity.advanceAnchor(count)
    else await settle(book, ledger, account)
  }
  for (let count = 0; count < ALONE + 10; count++) await settle(book, ledger, account)
  await other.integrity.advanceAnchor(2)
  const { anchor } = await book.store.integrity.advanceAnchor(3)
  expect(anchor).toMatchObject({ lastRow: lastRow(book), rowCount: lastRow(book) })
  expect((await verifyLedgers(book.store)).problems).toEqual([])
})

test("what a failed transaction wrote is never in the anchor", async () => {
  await using book = Book.direct()
  const account = await book.account("busy", 50_000n)
  const ledger = await book.ledger("node")
  await book.store.integrity.advanceAnchor(1)
  for (let count = 0; count < ALONE; count++) await settle(book, ledger, account)
  book.change(
    "CREATE TRIGGER no_end BEFORE UPDATE OF posted ON balances BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  await ledger.lease(account, 20n)
  const posting = { account: "busy", key: "key", budgets: [], amount: 7n, writtenOff: [], at: 3 }
  const batch = {
    postings: [{ ...posting, request: "req_lost", receipt: "{}" }],
    opened: [],
    closed: [],
  }
  await expect(book.store.settlements.post("node", batch)).rejects.toThrow("no")
  book.change("DROP TRIGGER no_end")
  await book.store.settlements.post("node", {
    ...batch,
    postings: [{ ...posting, request: "req_kept", receipt: "{}" }],
  })
  for (let count = 0; count < ALONE; count++) await settle(book, ledger, account)
  const { anchor } = await book.store.integrity.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(book), rowCount: lastRow(book) })
  expect((await verifyLedgers(book.store)).problems).toEqual([])
})
