import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import type { Hold } from "../../src/ledger/hold.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import type { Batch, Payer } from "../../src/store/records.ts"
import type { Store } from "../../src/store/store.ts"
import { verifyBooks } from "../../src/store/verify.ts"
import { Book } from "../store/book.ts"

export const ACCOUNTS = ["left", "right"] as const
const KEY = "thrifty"
/** Whom requests are charged to: two accounts, and a key of the first that has a budget. */
export const PAYERS: readonly Payer[] = [
  { account: "left", key: "plain", budgeted: false },
  { account: "right", key: "plain", budgeted: false },
  { account: "left", key: KEY, budgeted: true },
]

interface Member {
  readonly id: string
  readonly ledger: Ledger
  readonly life: Life
}

/** Once a process has crashed, nothing of it reaches the store any more, and no answer reaches it. */
class Life {
  readonly #end = Promise.withResolvers<void>()
  readonly ended = this.#end.promise
  #hasEnded = false

  end(): void {
    this.#hasEnded = true
    this.#end.resolve()
  }

  /** Does one step of the store for the process. */
  async through<T>(step: () => Promise<T>): Promise<T> {
    await new Promise(setImmediate)
    if (this.#hasEnded) return never()
    const [answer] = await Promise.allSettled([step()])
    if (this.#hasEnded) return never()
    if (answer.status === "rejected") throw answer.reason
    return answer.value
  }
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {})
}

interface PostedBatch {
  readonly node: string
  readonly batch: Batch
  readonly charged: readonly bigint[]
}

interface OpenHold {
  readonly member: Member
  readonly hold: Hold
}

/** Every fact that must hold whenever nobody is in the middle of a step, as SQL that finds breaches. */
const LAWS: Readonly<Record<string, string>> = {
  "no balance below zero, no lease beyond it":
    "SELECT * FROM balances WHERE posted < 0 OR leased < 0 OR leased > posted",
  "the leased sum is the sum of the leases": `
    SELECT * FROM balances
    WHERE leased <> (SELECT coalesce(sum(amount), 0) FROM leases WHERE leases.owner = balances.owner)`,
  "the balance is the sum of the entries": `
    SELECT * FROM accounts JOIN balances ON owner = id
    WHERE posted <> (SELECT coalesce(sum(amount), 0) FROM entries WHERE account = id)`,
  "each request has at most one charge, and it has its receipt":
    "SELECT request FROM entries WHERE request IS NOT NULL GROUP BY request HAVING count(*) > 1 OR count(receipt) < 1",
  "numbers have no gaps":
    "SELECT account FROM entries GROUP BY account HAVING count(number) <> max(number)",
  "a budget is what its charges have left of it": `
    SELECT * FROM keys JOIN balances ON owner = keys.id
    WHERE budget - posted <> (
      SELECT coalesce(-sum(amount), 0) FROM entries WHERE entries.key = keys.id)`,
}

/** Ledgers over one file, what has been done to them, and what they have answered. */
export class World implements AsyncDisposable {
  readonly #book: Book
  readonly #store: Store
  readonly #database: Database
  readonly #members: Member[] = []
  readonly #open: OpenHold[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #batches: PostedBatch[] = []
  /** Requests that were being settled when their process crashed: nobody was told what came of it. */
  readonly #untold = new Set<string>()
  /** What requests have failed with. */
  readonly #faults: unknown[] = []
  #granted = 0n
  #told = 0n
  #number = 0
  #wasStolen = false

  private constructor(book: Book, store: Store) {
    this.#book = book
    this.#store = store
    this.#database = new Database(book.directory.database, { readonly: true, safeIntegers: true })
  }

  static async create(members: number, budget: bigint, isThreaded: boolean): Promise<World> {
    const book = Book.direct()
    for (const account of ACCOUNTS) await book.account(account, 0n)
    await book.key(KEY, "left", budget)
    const world = new World(book, isThreaded ? await book.threaded() : book.store)
    for (let count = 0; count < members; count++) await world.#join()
    return world
  }

  async grant(account: string, amount: bigint): Promise<void> {
    // SQLite refuses a sum that 64 bits cannot hold; then nothing was granted.
    await this.#book.grant(account, amount).then(
      () => (this.#granted += amount),
      () => undefined,
    )
  }

  /** Starts a request; its hold is there when it is there. */
  hold(index: number, payer: Payer, amount: bigint): void {
    const member = this.#member(index)
    const request = `req_${++this.#number}`
    const order = { request, payer, amount, receipt: () => `expired ${request}` }
    const place = (): Hold | undefined => member.ledger.tryHold(order)
    const placing = async (): Promise<void> => {
      const hold = place() ?? (await member.ledger.extend(payer, amount, place))
      if (hold) this.#open.push({ member, hold })
    }
    this.#run(member, placing())
  }

  /** Leases without holding, as a request does that is clamped and then refused. */
  extend(index: number, payer: Payer, amount: bigint): void {
    const member = this.#member(index)
    this.#run(
      member,
      member.ledger.extend(payer, amount).then(() => undefined),
    )
  }

  settle(index: number, costOf: (amount: bigint) => bigint): void {
    const open = this.#takeOpen(index)
    if (!open) return
    const { member, hold } = open
    const { amount, request } = hold
    const cost = costOf(amount)
    this.#untold.add(request)
    const settling = async (): Promise<void> => {
      const settled = await member.ledger.settle(hold, cost, `settled ${request}`)
      this.#untold.delete(request)
      this.#told += settled.charged
      expect(settled.charged >= 0n && settled.writtenOff >= 0n).toBe(true)
      expect(settled.charged + settled.writtenOff).toBe(cost)
      if (cost <= amount && !this.#wasStolen) expect(settled.charged).toBe(cost)
    }
    this.#run(member, settling())
  }

  release(index: number): void {
    const open = this.#takeOpen(index)
    open?.member.ledger.release(open.hold)
  }

  /** What a node does when it polls. */
  async poll(index: number): Promise<void> {
    const member = this.#member(index)
    const news = await this.#store.pollNode(member.id, Date.now())
    if (!news.known) {
      await this.#announce(member.id)
      member.ledger.forgetLeases()
    }
    await member.ledger.tick(news.recalls)
  }

  /** The process is gone from one moment to the next; another has taken its place. */
  async crash(index: number): Promise<void> {
    const member = this.#member(index)
    member.life.end()
    this.#members.splice(this.#members.indexOf(member), 1)
    for (let at = this.#open.length - 1; at >= 0; at--) {
      if (this.#open[at]?.member === member) this.#open.splice(at, 1)
    }
    await this.#join()
    await this.#store.removeNode(member.id, Date.now())
  }

  /** A reaper takes a node for dead that is alive. */
  async steal(index: number): Promise<void> {
    this.#wasStolen = true
    await this.#store.removeNode(this.#member(index).id, Date.now())
  }

  /** Posts a batch that was posted before. It answers what it did then; the laws see that it does nothing. */
  async repeat(index: number): Promise<void> {
    const earlier = this.#batches[index % this.#batches.length]
    if (!earlier) return
    const { node, batch, charged } = earlier
    const again = await this.#store.post(node, { ...batch, opened: [], closed: [] })
    expect(again.map((posted) => posted.charged)).toEqual([...charged])
  }

  /** Lets everything that can run do so for a moment. */
  async breathe(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  }

  checkLaws(): void {
    if (this.#faults.length > 0) throw this.#faults[0]
    for (const [law, breaches] of Object.entries(LAWS)) {
      expect([law, this.#database.query(breaches).all()]).toEqual([law, []])
    }
  }

  /** Ends all requests; then every till agrees with the book and all the money can be had at once. */
  async checkEnd(): Promise<void> {
    await this.#settleDown()
    while (this.#open.length > 0) this.release(0)
    for (let index = 0; index < this.#members.length; index++) await this.poll(index)
    await this.#settleDown()
    this.checkLaws()
    for (const { id, ledger } of this.#members) {
      for (const payer of PAYERS) expect(ledger.available(payer)).toBe(this.#leaseOf(id, payer))
    }
    await this.#checkConservation()
    expect((await verifyBooks(this.#book.store)).problems).toEqual([])
    await this.#checkAllCanBeHad()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { life } of this.#members) life.end()
    this.#database.close()
    await this.#book[Symbol.asyncDispose]()
  }

  async #checkConservation(): Promise<void> {
    let untold = 0n
    for (const request of this.#untold) {
      untold -= (await this.#book.store.findReceipt(request))?.entry?.amount ?? 0n
    }
    const balance = (await this.#book.balanceOf("left")) + (await this.#book.balanceOf("right"))
    expect(this.#granted - this.#told - untold).toBe(balance)
  }

  async #checkAllCanBeHad(): Promise<void> {
    const [last, ...others] = this.#members
    for (const { id } of others) await this.#book.store.removeNode(id, Date.now())
    for (const payer of PAYERS.slice(0, 2)) {
      const balance = await this.#book.balanceOf(payer.account)
      await last?.ledger.extend(payer, balance)
      expect(last?.ledger.available(payer)).toBe(balance)
    }
  }

  async #settleDown(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
    for (const { ledger } of this.#members) await ledger.close()
  }

  #run(member: Member, work: Promise<void>): void {
    const running: Promise<void> = Promise.race([work, member.life.ended]).finally(() =>
      this.#running.delete(running),
    )
    running.catch((error: unknown) => this.#faults.push(error))
    this.#running.add(running)
  }

  async #join(): Promise<void> {
    const id = `node_${++this.#number}`
    await this.#announce(id)
    const life = new Life()
    const ledger = new Ledger(this.#storeFor(life), id, this.#book.alarms)
    this.#members.push({ id, life, ledger })
  }

  async #announce(id: string): Promise<void> {
    await this.#store.joinNode({ id, process: 1, host: "test", beatAt: Date.now() })
  }

  #storeFor(life: Life): Store {
    return {
      ...this.#store,
      lease: (order) => life.through(() => this.#store.lease(order)),
      returnLease: (...parameters) => life.through(() => this.#store.returnLease(...parameters)),
      post: (node, batch) =>
        life.through(async () => {
          const posted = await this.#store.post(node, batch)
          this.#batches.push({ node, batch, charged: posted.map(({ charged }) => charged) })
          return posted
        }),
    }
  }

  #member(index: number): Member {
    return this.#members[index % this.#members.length]!
  }

  #takeOpen(index: number): OpenHold | undefined {
    return this.#open.splice(index % (this.#open.length || 1), 1)[0]
  }

  #leaseOf(node: string, payer: Payer): bigint {
    const owners = payer.budgeted ? [payer.account, payer.key] : [payer.account]
    const query = this.#database.query<{ amount: bigint }, [string, string]>(
      "SELECT amount FROM leases WHERE owner = ? AND node = ?",
    )
    const leases = owners.map((owner) => query.get(owner, node)?.amount ?? 0n)
    return leases.reduce((least, lease) => (lease < least ? lease : least))
  }
}
