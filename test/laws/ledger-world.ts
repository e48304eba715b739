import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { AUDIT } from "../store/audit-record.ts"
import type { Payer } from "../../src/accounting/payer.ts"
import type { KeyRecord } from "../../src/store/keys.ts"
import type { Hold } from "../../src/ledger/hold.ts"
import { MAX_REPORTED_AMOUNT } from "../../src/accounting/maxima.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { BUDGET_PERIODS, budgetOwner, limitOf } from "../../src/accounting/budget-periods.ts"
import { nextEpoch } from "../../src/store/nodes.ts"
import type { Store } from "../../src/store/store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { TestDatabase, payerOf } from "../store/test-database.ts"
import { payersOf } from "../../src/keys/key.ts"
import {
  ACCOUNTS,
  KEY,
  LAWS,
  Life,
  type Limits,
  type Member,
  type OpenHold,
  payer,
  type PostedBatch,
  type Spender,
  SPENDERS,
} from "./ledger-laws.ts"

/** Ledgers that share one file, the changes to them, and their results. */
export class World implements AsyncDisposable {
  readonly #testDatabase: TestDatabase
  readonly #store: Store
  readonly #database: Database
  readonly #members: Member[] = []
  readonly #open: OpenHold[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #batches: PostedBatch[] = []
  /** Requests that were being settled when their process crashed. Their result is unknown. */
  readonly #untold = new Set<string>()
  /** The errors that requests have thrown. */
  readonly #faults: unknown[] = []
  /** The highest value that each kind of budget has had. */
  readonly #max = new Map<keyof Limits, bigint>()
  #key: KeyRecord
  /** Whether the store runs on its own thread. Its clock is then separate and may show another day. */
  readonly #isThreaded: boolean
  #granted = 0n
  #reported = 0n
  #number = 0
  #wasStolen = false

  private constructor(database: TestDatabase, store: Store, key: KeyRecord, isThreaded: boolean) {
    this.#isThreaded = isThreaded
    this.#testDatabase = database
    this.#store = store
    this.#key = key
    this.#remember(key)
    this.#database = new Database(database.directory.database, {
      readonly: true,
      safeIntegers: true,
    })
  }

  static async create(members: number, limits: Limits, isThreaded: boolean): Promise<World> {
    const database = TestDatabase.direct()
    for (const account of ACCOUNTS) await database.account(account, 0n)
    await database.key(KEY, "left", null)
    const key = await database.store.keys.update(KEY, limits, AUDIT)
    const world = new World(
      database,
      isThreaded ? await database.another() : database.store,
      key,
      isThreaded,
    )
    for (let count = 0; count < members; count++) await world.#join()
    return world
  }

  async grant(account: string, amount: bigint): Promise<void> {
    // SQLite rejects a sum of more than 64 bits. In this case, nothing was granted.
    await this.#testDatabase.grant(account, amount).then(
      () => (this.#granted += amount),
      () => undefined,
    )
  }

  /** Changes the budgets. Processes notice the change when they poll. */
  async limit(limits: Partial<Limits>): Promise<void> {
    this.#key = await this.#store.keys.update(KEY, limits, AUDIT)
    this.#remember(this.#key)
  }

  /** Recalls credits that other processes have leased, because a process needs them. */
  async recall(spender: Spender, amount: bigint): Promise<void> {
    const payer = payersOf(this.#key)(Date.now())
    const owner = spender === KEY ? (payer.budgets.at(-1) ?? KEY) : spender
    await this.#store.leases.recall(owner, amount)
  }

  /** Takes back credits that are not leased, as an operator can. */
  async takeOut(account: string, amount: bigint): Promise<void> {
    const unknowns = { note: null, author: null }
    const entry = { account, kind: "adjustment" as const, amount: -amount, at: Date.now() }
    await this.#store.entries.add({ ...entry, ...unknowns }, AUDIT).then(
      () => (this.#granted -= amount),
      () => undefined,
    )
  }

  /** Starts a request. Its hold may follow later. */
  hold(index: number, spender: Spender, amount: bigint): void {
    const member = this.#member(index)
    const request = `req_${++this.#number}`
    const order = { request, payer: payer(member, spender), amount }
    const place = (): Hold | undefined =>
      member.ledger.tryHold({ ...order, receipt: () => `expired ${request}` })
    const placing = async (): Promise<void> => {
      const hold = place() ?? (await member.ledger.extend(order.payer, amount, place))
      if (hold) this.#open.push({ member, hold })
    }
    this.#run(member, placing())
  }

  /**
   * Extends a lease without holding credits, like a request whose maximum cost is reduced and which is then rejected.
   */
  extend(index: number, spender: Spender, amount: bigint): void {
    const member = this.#member(index)
    this.#run(
      member,
      member.ledger.lease(payer(member, spender), amount).then(() => undefined),
    )
  }

  /** Changes the hold of a request whose real parameters differ from the predicted parameters. */
  resize(index: number, amount: bigint): void {
    const open = this.#open[index % (this.#open.length || 1)]
    if (!open) return
    const { member, hold } = open
    const isLess = amount <= hold.amount
    const before = hold.amount
    const isResized = member.ledger.tryResize(hold, amount)
    if (isLess) expect(isResized).toBe(true)
    expect(hold.amount).toBe(isResized ? amount : before)
  }

  settle(index: number, costOf: (amount: bigint) => bigint): void {
    const open = this.#takeOpen(index)
    if (!open) return
    const { member, hold } = open
    const { amount, request } = hold
    const cost = costOf(amount)
    this.#untold.add(request)
    const settling = async (): Promise<void> => {
      const settled = await member.ledger.settle(hold, cost, () => `settled ${request}`)
      this.#untold.delete(request)
      this.#reported += settled.charged
      expect(settled.charged >= 0n && settled.writtenOff >= 0n).toBe(true)
      const unpaid = cost - settled.charged
      if (unpaid <= MAX_REPORTED_AMOUNT) expect(settled.writtenOff).toBe(unpaid)
      else expect(settled.writtenOff).toBeGreaterThanOrEqual(MAX_REPORTED_AMOUNT)
      const receipt = await this.#store.settlements.findReceipt(request)
      expect(receipt?.body).toBe(`settled ${request}`)
      expect(-(receipt?.entry?.amount ?? 0n)).toBe(settled.charged)
      const written = receipt?.writtenOff.reduce((sum, { amount }) => sum + amount, 0n)
      expect(written).toBe(settled.writtenOff)
      if (cost <= amount && !this.#wasStolen) expect(settled.charged).toBe(cost)
    }
    this.#run(member, settling())
  }

  release(index: number): void {
    const open = this.#takeOpen(index)
    if (!open) return
    const { member, hold } = open
    const settling = member.ledger.settle(hold, 0n, () => `released ${hold.request}`)
    this.#run(
      member,
      settling.then(() => undefined),
    )
  }

  /** Performs the steps of a node that polls. */
  async poll(index: number): Promise<void> {
    const member = this.#member(index)
    const changes = await this.#store.nodes.poll(member.id, Date.now())
    if (!changes.known) {
      member.id = nextEpoch(member.id)
      await this.#announce(member.id)
      member.ledger.rejoin(member.id)
    }
    member.payerAt = payersOf(this.#key)
    await member.ledger.tick(changes.recalls)
  }

  /** Simulates a crash. Another process takes the place of the crashed process. */
  async crash(index: number): Promise<void> {
    const member = this.#member(index)
    member.life.end()
    this.#members.splice(this.#members.indexOf(member), 1)
    for (let at = this.#open.length - 1; at >= 0; at--) {
      if (this.#open[at]?.member === member) this.#open.splice(at, 1)
    }
    await this.#join()
    await this.#store.nodes.remove(member.id, Date.now())
  }

  /** Makes a reaper declare a living node dead. */
  async steal(index: number): Promise<void> {
    this.#wasStolen = true
    await this.#store.nodes.remove(this.#member(index).id, Date.now())
  }

  /**
   * Posts an earlier batch again. The result must be the same, and the invariants show that there is no second effect.
   */
  async repeat(index: number): Promise<void> {
    const earlier = this.#batches[index % this.#batches.length]
    if (!earlier) return
    const { node, batch, charged } = earlier
    const again = await this.#store.settlements.post(node, { ...batch, opened: [], closed: [] })
    expect(again.map((posted) => posted.charged)).toEqual([...charged])
  }

  /** Lets all waiting steps continue for a moment. */
  async breathe(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  }

  checkLaws(): void {
    if (this.#faults.length > 0) throw this.#faults[0]
    for (const [law, breaches] of Object.entries(LAWS)) {
      expect([law, this.#database.query(breaches).all()]).toEqual([law, []])
    }
    this.#checkBudgets()
  }

  /** Checks that no budget exceeds the highest value to which it was set. */
  #checkBudgets(): void {
    const rows = this.#database
      .query<{ owner: string; allotted: bigint }, []>(
        "SELECT owner, allotted FROM balances WHERE allotted IS NOT NULL",
      )
      .all()
    for (const { owner, allotted } of rows) {
      const max = this.#max.get(kindOf(owner)) ?? 0n
      expect([owner, allotted <= max]).toEqual([owner, true])
    }
  }

  #remember(limits: Limits): void {
    for (const kind of ["budget", "dailyBudget", "monthlyBudget"] as const) {
      const limit = limits[kind] ?? 0n
      if (limit > (this.#max.get(kind) ?? 0n)) this.#max.set(kind, limit)
    }
  }

  /** Ends all requests. Then every process must agree with the ledger, and the whole balance must be available. */
  async checkEnd(): Promise<void> {
    await this.#settleDown()
    while (this.#open.length > 0) this.release(0)
    await this.#settleDown()
    for (let index = 0; index < this.#members.length; index++) await this.poll(index)
    await this.#settleDown()
    this.checkLaws()
    for (const member of this.#members) {
      for (const spender of SPENDERS) {
        const paying = payer(member, spender)
        expect(member.ledger.available(paying)).toBe(this.#leaseOf(member.id, paying))
      }
    }
    this.#checkOverPeriods()
    if (!this.#isThreaded) this.#checkLimits()
    await this.#checkConservation()
    const { problems } = await verifyLedgers(this.#testDatabase.store)
    // By the clock of the store's thread, limits may have been changed on another day.
    const isOfOtherDay = (fault: string) => this.#isThreaded && fault === "limit"
    expect(problems.filter(({ fault }) => !isOfOtherDay(fault))).toEqual([])
    await this.#checkAllCanBeHad()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { life } of this.#members) life.end()
    this.#database.close()
    await this.#testDatabase[Symbol.asyncDispose]()
  }

  /** Checks that each budget is its limit minus the spending, however often the limit was changed during a lease. */
  #checkLimits(): void {
    const now = Date.now()
    for (const period of BUDGET_PERIODS) {
      const limit = limitOf(this.#key, period)
      const owner = budgetOwner(KEY, period, now)
      const row = this.#database
        .query<{ posted: bigint; allotted: bigint }, [string]>(
          "SELECT posted, allotted FROM balances WHERE owner = ?",
        )
        .get(owner)
      if (limit === null || !row) continue
      const spent = row.allotted - row.posted
      expect([owner, row.posted]).toEqual([owner, limit > spent ? limit - spent : 0n])
    }
  }

  /** Checks that budgets of past periods have been returned, so that no node has leases on them. */
  #checkOverPeriods(): void {
    const query = this.#database.query<{ owner: string }, []>(
      "SELECT owner FROM leases WHERE amount > 0 AND instr(owner, '@') > 0",
    )
    const owners = query.all().map(({ owner }) => owner.split("@")[1] ?? "")
    const now = new Date(Date.now()).toISOString()
    expect(owners.filter((period) => !now.startsWith(period))).toEqual([])
  }

  async #checkConservation(): Promise<void> {
    let untold = 0n
    for (const request of this.#untold) {
      untold -=
        (await this.#testDatabase.store.settlements.findReceipt(request))?.entry?.amount ?? 0n
    }
    const balance =
      (await this.#testDatabase.balanceOf("left")) + (await this.#testDatabase.balanceOf("right"))
    expect(this.#granted - this.#reported - untold).toBe(balance)
  }

  async #checkAllCanBeHad(): Promise<void> {
    const [last, ...others] = this.#members
    for (const { id } of others) await this.#testDatabase.store.nodes.remove(id, Date.now())
    for (const account of ACCOUNTS) {
      await this.#store.leases.endRecall(account)
      const balance = await this.#testDatabase.balanceOf(account)
      await last?.ledger.lease(payerOf(account), balance)
      expect(last?.ledger.available(payerOf(account))).toBe(balance)
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
    const ledger = new Ledger(this.#storeFor(life), id, this.#testDatabase.alarms)
    this.#members.push({ id, life, ledger, payerAt: payersOf(this.#key) })
  }

  async #announce(id: string): Promise<void> {
    await this.#store.nodes.join({
      id,
      process: 1,
      host: "test",
      beatAt: Date.now(),
      machine: null,
    })
  }

  #storeFor(life: Life): Store {
    return {
      ...this.#store,
      leases: {
        ...this.#store.leases,
        take: (request) => life.through(() => this.#store.leases.take(request)),
        giveBack: (...parameters) => life.through(() => this.#store.leases.giveBack(...parameters)),
      },
      settlements: {
        ...this.#store.settlements,
        post: (node, batch) =>
          life.through(async () => {
            const posted = await this.#store.settlements.post(node, batch)
            this.#batches.push({ node, batch, charged: posted.map(({ charged }) => charged) })
            return posted
          }),
      },
    }
  }

  #member(index: number): Member {
    return this.#members[index % this.#members.length]!
  }

  #takeOpen(index: number): OpenHold | undefined {
    return this.#open.splice(index % (this.#open.length || 1), 1)[0]
  }

  #leaseOf(node: string, payer: Payer): bigint {
    const owners = [payer.account, ...payer.budgets]
    const query = this.#database.query<{ amount: bigint }, [string, string]>(
      "SELECT amount FROM leases WHERE owner = ? AND node = ?",
    )
    const leases = owners.map((owner) => query.get(owner, node)?.amount ?? 0n)
    return leases.reduce((min, lease) => (lease < min ? lease : min))
  }
}

function kindOf(owner: string): keyof Limits {
  const [, period] = owner.split("@")
  if (period === undefined) return "budget"
  return period.length === "2026-11".length ? "monthlyBudget" : "dailyBudget"
}
