import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { verifyBooks } from "../../src/store/verify.ts"
import { Book } from "./book.ts"

type Payer = Awaited<ReturnType<Book["account"]>>

function lastRow(book: Book): number {
  using database = new Database(book.directory.database, { readonly: true })
  const row = database.query<{ last: number }, []>("SELECT max(rowid) AS last FROM entries").get()
  return row?.last ?? 0
}

async function settle(book: Book, ledger: Awaited<ReturnType<Book["ledger"]>>, account: Payer) {
  await ledger.extend(account, 20n)
  const order = book.order(account, 20n)
  const hold = ledger.tryHold(order)
  if (!hold) throw new Error("nothing could be held")
  await ledger.settle(hold, 7n, () => `{"id":"${order.request}"}`)
}

test("the anchor goes on with each batch, and catches up with what others have written", async () => {
  await using book = Book.direct()
  const account = await book.account("busy", 500n)
  const ledger = await book.ledger("node")
  await book.store.advanceAnchor(1)
  await settle(book, ledger, account)
  await settle(book, ledger, account)
  expect((await book.store.findAnchor()).lastRow).toBe(lastRow(book))

  await book.grant("busy", 5n)
  await settle(book, ledger, account)
  expect((await book.store.findAnchor()).lastRow).toBe(lastRow(book) - 2)
  const { anchor } = await book.store.advanceAnchor(2)
  expect(anchor).toMatchObject({ lastRow: lastRow(book), rowCount: lastRow(book) })

  await settle(book, ledger, account)
  expect((await book.store.findAnchor()).lastRow).toBe(lastRow(book))
  expect((await verifyBooks(book.store)).problems).toEqual([])
})
