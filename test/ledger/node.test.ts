import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { hostname } from "node:os"
import { Ledger } from "../../src/ledger/ledger.ts"
import { Node, type NodeListeners } from "../../src/ledger/node.ts"
import type { HoldRecord, NodeNews } from "../../src/store/records.ts"
import type { Store } from "../../src/store/store.ts"
import { verifyBooks } from "../../src/store/verify.ts"
import { Book, until } from "../store/book.ts"

class RecordedListeners implements NodeListeners {
  readonly news: NodeNews[] = []
  readonly expired: HoldRecord[] = []
  readonly failures: unknown[] = []
  forgotten = 0

  async onNews(news: NodeNews): Promise<void> {
    this.news.push(news)
  }
  onForgotten(): void {
    this.forgotten++
  }
  onExpired(holds: readonly HoldRecord[]): void {
    this.expired.push(...holds)
  }
  onFailure(error: unknown): void {
    this.failures.push(error)
  }
}

/** Starts a process that holds money, and kills it once it has written that down. */
async function killHolder(book: Book, id: string): Promise<void> {
  const script = new URL("./dying-node.ts", import.meta.url).pathname
  const child = Bun.spawn([process.execPath, script, book.directory.database, id], {
    stdout: "pipe",
    stderr: "inherit",
  })
  const database = new Database(book.directory.database, { readonly: true })
  database.run("PRAGMA busy_timeout = 5000")
  const holds = database.query<{ count: number }, []>("SELECT count(*) AS count FROM holds")
  await until(() => holds.get()?.count === 2, 10_000)
  database.close()
  child.kill("SIGKILL")
  await child.exited
}

describe("a process that died", () => {
  test("gives its lease back, and its open holds expire with a receipt and no charge", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    await killHolder(book, "dead")
    expect(await book.store.findAccount("account")).toMatchObject({ balance: 95n, leased: 95n })

    const listeners = new RecordedListeners()
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(book.store, "survivor", listeners))
    expect(listeners.expired.map(({ request }) => request).toSorted()).toEqual(["lasting", "late"])
    expect(await book.store.findAccount("account")).toMatchObject({ balance: 95n, leased: 0n })
    for (const request of ["lasting", "late"]) {
      const receipt = await book.store.findReceipt(request)
      expect(receipt).toMatchObject({ body: `{"expired":"${request}"}`, entry: null })
    }
    expect((await book.store.findReceipt("settled"))?.entry?.amount).toBe(-5n)
    expect((await verifyBooks(book.store)).problems).toEqual([])

    const ledger = new Ledger(book.store, "survivor", book.alarms)
    await ledger.extend(payer, 95n)
    expect(ledger.available(payer)).toBe(95n)
  }, 15_000)

  test("is buried once, however many look", async () => {
    await using book = Book.direct()
    await book.account("account", 100n)
    await killHolder(book, "dead")
    const first = await book.store.removeNode("dead", 1)
    const second = await book.store.removeNode("dead", 1)
    expect([first.length, second.length]).toEqual([2, 0])
  }, 15_000)
})

describe("a node", () => {
  test("that was taken for dead joins again, says so, and has no lease", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const ledger = new Ledger(book.store, "node", book.alarms)
    const listeners = new RecordedListeners()
    listeners.onForgotten = () => {
      listeners.forgotten++
      ledger.forgetLeases()
    }
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(book.store, "node", listeners))
    await ledger.extend(payer, 100n)
    await book.store.removeNode("node", 1)
    await until(() => listeners.forgotten === 1)
    expect(ledger.available(payer)).toBe(0n)
    expect((await book.store.listNodes()).map(({ id }) => id)).toEqual(["node"])
    await ledger.extend(payer, 100n)
    expect(ledger.available(payer)).toBe(100n)
  })

  test("that leaves returns all its leases and reports what it leaves open", async () => {
    await using book = Book.direct()
    const payer = await book.account("account", 100n)
    const ledger = new Ledger(book.store, "node", book.alarms)
    const listeners = new RecordedListeners()
    const node = await Node.join(book.store, "node", listeners)
    await ledger.extend(payer, 100n)
    const open = {
      request: "open",
      account: "account",
      key: "key",
      amount: 7n,
      at: 1,
      receipt: "{}",
    }
    await book.store.post("node", { postings: [], opened: [open], closed: [] })
    await node[Symbol.asyncDispose]()
    expect(listeners.expired).toEqual([open])
    expect(await book.store.listNodes()).toEqual([])
    expect(await book.store.findAccount("account")).toMatchObject({ balance: 100n, leased: 0n })
  })

  test("buries those that are silent or whose process is gone, and no others", async () => {
    await using book = Book.direct()
    const now = Date.now()
    const here = hostname()
    const init = { process: 1, host: here, beatAt: now }
    const gone = Bun.spawn(["true"])
    await gone.exited
    await book.store.joinNode({ ...init, id: "alive on this host" })
    await book.store.joinNode({ ...init, id: "silent", beatAt: now - 31_000 })
    await book.store.joinNode({ ...init, id: "gone", process: gone.pid })
    await book.store.joinNode({ ...init, id: "before me", process: process.pid })
    await book.store.joinNode({ ...init, id: "elsewhere", process: gone.pid, host: `not ${here}` })
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(book.store, "me", new RecordedListeners()))
    const remaining = (await book.store.listNodes()).map(({ id }) => id).toSorted()
    expect(remaining).toEqual(["alive on this host", "elsewhere", "me"])
  })

  test("that was suspended itself does not bury the others, who were suspended with it", async () => {
    await using book = Book.direct()
    const listeners = new RecordedListeners()
    const realNow = Date.now
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(book.store, "me", listeners))
    const elsewhere = { process: 1, host: "elsewhere", beatAt: realNow() }
    await book.store.joinNode({ ...elsewhere, id: "suspended too" })
    try {
      Date.now = () => realNow() + 60_000
      const looked = listeners.news.length
      await until(() => listeners.news.length > looked + 1)
      expect(await book.store.listNodes()).toHaveLength(2)
      Date.now = () => realNow() + 66_000
      await until(async () => (await book.store.listNodes()).length === 1)
    } finally {
      Date.now = realNow
    }
  })

  test("reports that the store fails, and goes on looking", async () => {
    await using book = Book.direct()
    let isBroken = false
    const store: Store = {
      ...book.store,
      pollNode: (...parameters) =>
        isBroken ? Promise.reject(new Error("disk I/O error")) : book.store.pollNode(...parameters),
    }
    const listeners = new RecordedListeners()
    await using nodes = new AsyncDisposableStack()
    nodes.use(await Node.join(store, "node", listeners))
    isBroken = true
    await until(() => listeners.failures.length > 1)
    isBroken = false
    const looked = listeners.news.length
    await until(() => listeners.news.length > looked)
  })
})
