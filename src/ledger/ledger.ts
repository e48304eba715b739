import type { WriteOff } from "../accounting/chained-records.ts"
import type { Payer } from "../accounting/payer.ts"
import { waitAtMost } from "../canon/wait-at-most.ts"
import type { Batch, Posted, Posting } from "../store/settlements.ts"
import { LedgerError } from "../store/ledger-error.ts"
import { FILE_RETRIES } from "../store/retry-policy.ts"
import type { Store } from "../store/store.ts"
import { DatabaseWriter } from "./database-writer.ts"
import { UnstorableError } from "./divided-batch.ts"
import { GroupCommit, type LazyPosting } from "./group-commit.ts"
import {
  type BalanceSnapshot,
  type Hold,
  type HoldInput,
  newHold,
  type Settlement,
  writeOffsOf,
} from "./hold.ts"
import { LeasedBalances, MAX_GROWTH_WAIT_MS } from "./leased-balances.ts"
import type { LedgerAlarms } from "./ledger-alarms.ts"
import {
  type Settled,
  type SettlementOutcome,
  type SettlementWriter,
  unleased,
  type Writers,
} from "./settlement-writer.ts"

/** Reported to new requests until the database has renewed the leases. */
const LEASES_ARE_OVER = new LedgerError(
  "unavailable",
  "the database has not renewed this node's leases: others may spend them now",
)

/** The node only rejoins when at most this many charges are pending, so that new requests do not wait long for them. */
const MAX_WAITING_AT_REJOIN = 1_000
/** Maximum time that the leases of a node that rejoins are kept for its pending charges. */
const MAX_SUSPENSION_MS = 2_000

/**
 * Manages the credits of one process. It holds and settles in memory against leases, and posts to the store in batches.
 * No account is ever overspent, regardless of concurrency (docs/use/billing.md#how-a-request-is-charged).
 */
export class Ledger {
  #node: string
  readonly #alarms: LedgerAlarms
  readonly #balances: LeasedBalances
  readonly #writer: SettlementWriter
  readonly #writers: readonly SettlementWriter[]
  readonly #commits: GroupCommit
  /** The group commit for requests whose outcome other processes may look up in the database. */
  readonly #claimed: GroupCommit | undefined
  /**
   * Whether other processes may look up the outcome of a request in the database, because the request has an
   * idempotency key.
   */
  isClaimed: (request: string) => boolean = () => false
  #open = 0
  readonly #writing = new Set<Promise<unknown>>()
  #rejection: unknown
  /** End of the leases by `performance.now()`, which may stop while a machine sleeps, and by the wall clock. */
  #spendUntil = Infinity
  #spendUntilTime = Infinity

  /** @param writers make settlements durable; if absent, settlements are posted to the store. */
  constructor(store: Store, node: string, alarms: LedgerAlarms, writers?: Writers) {
    this.#node = node
    this.#alarms = alarms
    this.#balances = new LeasedBalances(store, node)
    const writer: SettlementWriter = writers?.usual ?? new DatabaseWriter(store, FILE_RETRIES)
    const claimed = writers?.claimed
    this.#writer = writer
    this.#writers = claimed ? [writer, claimed] : [writer]
    this.#commits = new GroupCommit((batch) => this.#write(writer, batch))
    this.#claimed = claimed && new GroupCommit((batch) => this.#write(claimed, batch))
    writer.listen?.((node, posting, posted) => this.#correct(node, posting, posted))
  }

  /** The reason why new requests must not begin; undefined if new requests may begin. */
  get failure(): unknown {
    const rejection = this.#writer.outlastsOutages ? undefined : this.#rejection
    return rejection ?? this.#writer.failure ?? (this.#isOver() ? LEASES_ARE_OVER : undefined)
  }

  /**
   * Whether the leases in the database are unclear, because the connection failed during a change. If so, the node must
   * rejoin with a new id.
   */
  get hasUnclearLeases(): boolean {
    return this.#balances.hasUnclearLeases
  }

  /**
   * Whether the node must rejoin now. After an outage, it first posts most of its charges. Meanwhile, it spends the
   * rest of its leases.
   */
  get mustRejoin(): boolean {
    return this.hasUnclearLeases && this.waiting <= MAX_WAITING_AT_REJOIN
  }

  /**
   * Sets the moment, by `performance.now()`, until which this process may spend from its leases. Afterwards, other
   * processes may lease the same amounts. Running requests are settled up to the amounts that the leases cover.
   */
  spendUntil(until: number): void {
    this.#balances.becomeRemote()
    this.#spendUntil = until
    this.#spendUntilTime = Date.now() + until - performance.now()
  }

  #isOver(): boolean {
    if (this.#spendUntil === Infinity) return false
    return performance.now() > this.#spendUntil || Date.now() > this.#spendUntilTime
  }

  /**
   * Sets or clears the reason why the database is unavailable. While a reason is set, new holds are rejected. If
   * settlements do not need the database, only holds that exceed the leases are rejected.
   */
  reject(reason: unknown): void {
    this.#rejection = reason
  }

  /** Number of open holds, including those whose charge is being written. */
  get open(): number {
    return this.#open
  }

  /** The amounts that this process has leased and holds, in nanocredits. */
  get totals(): { readonly held: bigint; readonly leased: bigint } {
    return this.#balances.totals
  }

  /** Number of charges that are durable, but not in the database yet. */
  get waiting(): number {
    return this.#writer.waiting
  }

  /** Whether the database may still store the charge of a request, although writing the charge has failed. */
  isPosting(request: string): boolean {
    return this.#writers.some((writer) => writer.isPosting?.(request) === true)
  }

  /** Holds an amount. Returns undefined if this process has leased too little. */
  tryHold(input: HoldInput): Hold | undefined {
    const { payer, amount } = input
    if (this.#isOver()) return undefined
    const balances = this.#balances.ofPayer(payer)
    for (const balance of balances) if (balance.available < amount) return undefined
    for (const balance of balances) {
      balance.held += amount
      balance.holds++
    }
    const hold = newHold(input, balances)
    this.#commits.opened(hold)
    this.#open++
    return hold
  }

  /**
   * Changes the amount of a hold, unless this process has leased too little for the difference.
   * @returns whether the amount was changed.
   */
  tryResize(hold: Hold, amount: bigint): boolean {
    const more = amount - hold.amount
    if (more > 0n && hold.balances.some(({ available }) => available < more)) return false
    for (const balance of hold.balances) balance.held += more
    hold.amount = amount
    return true
  }

  /** Creates a hold for an estimate. The hold is marked as ended and reserves no credits. */
  estimateHold(input: HoldInput): Hold {
    const hold = newHold(input, [])
    hold.over = true
    return hold
  }

  /** Returns the amount that can be held immediately. */
  available(payer: Payer): bigint {
    if (this.#isOver()) return 0n
    return this.#balances.available(payer)
  }

  /**
   * Leases more, as far as possible, so that `amount` can be held. Concurrent callers are served in turn, so the lease
   * may already be used up when this resolves.
   * @returns true if the amount can be held.
   */
  lease(payer: Payer, amount: bigint): Promise<true | undefined> {
    return this.extend(payer, amount, () => this.available(payer) >= amount || undefined)
  }

  /**
   * Leases more, and calls `attempt` to place the hold as soon as the lease is large enough. Resolves to the result of
   * `attempt`.
   * @throws if the database is unavailable or has not renewed the leases.
   */
  async extend<T>(
    payer: Payer,
    amount: bigint,
    attempt: () => T | undefined,
    maxWaitMs?: number,
  ): Promise<T | undefined> {
    if (this.#rejection !== undefined) throw this.#rejection
    const attemptIfValid = () => {
      if (this.#isOver()) throw LEASES_ARE_OVER
      return attempt()
    }
    return this.#balances.extend(payer, amount, attemptIfValid, maxWaitMs)
  }

  /** Returns the balances of the payer's account and budgets in the ledger, with the account first. */
  snapshot(payer: Payer): BalanceSnapshot[] {
    return this.#balances.snapshot(payer)
  }

  /** Returns the amount of an account that requests of this process hold, including charges that are being posted. */
  heldOf(account: string): bigint {
    return this.#balances.of(account).held
  }

  /**
   * Ends a hold with its charge. A cost that is not covered is written off in the same transaction. Resolves when the
   * charge is on disk. Only then may the last byte of the response be sent.
   * @param receipt called when the charge is written. It must not throw.
   * @param beyond an amount that is never charged and not part of the cost.
   * @throws if the ledger could not be written. Nothing was charged in that case.
   */
  async settle(
    hold: Hold,
    cost: bigint,
    receipt: () => string,
    beyond?: WriteOff,
  ): Promise<Settlement> {
    if (hold.over) throw new Error(`the hold of request ${hold.request} has ended already`)
    hold.over = true
    if (cost > hold.amount) await this.#grow(hold, cost)
    const { request, at } = hold
    const { account, key, budgets } = hold.payer
    const amount = cost > hold.amount ? hold.amount : cost
    const writtenOff = writeOffsOf(hold, cost - amount, beyond)
    for (const leased of hold.balances) leased.held -= hold.amount - amount
    try {
      const { state } = hold
      const posting = { request, account, key, budgets, amount, writtenOff, at, receipt, state }
      const posted = await this.#append(hold, posting)
      const { charged } = posted
      this.#apply(hold, posted)
      this.#report(request, posted, amount, writtenOff)
      const written = writtenOff.reduce((sum, part) => sum + part.amount, amount - charged)
      return { charged, writtenOff: written, balance: hold.balances[0]?.posted ?? 0n }
    } catch (error) {
      this.#failed(hold, amount, error)
      throw error
    } finally {
      for (const leased of hold.balances) {
        leased.held -= amount
        leased.holds--
      }
      this.#open--
    }
  }

  /**
   * Records long-running holds, returns recalled leases and leases of past periods, and checks whether a failure has
   * ended.
   */
  async tick(recalls: readonly string[]): Promise<void> {
    const now = Date.now()
    this.#commits.tick(now)
    for (const owner of recalls) await this.#balances.giveBack(owner)
    await this.#balances.closePeriods(now)
    if (!this.hasUnclearLeases) await this.#writer.maintain(this.#node)
  }

  /**
   * Spends and leases nothing until `rejoin`, because the leases of this node will be returned. Resolves when the
   * charges so far are posted, or after a timeout.
   */
  async suspend(): Promise<void> {
    this.#balances.suspend()
    await waitAtMost(this.#posted(), MAX_SUSPENSION_MS)
  }

  /**
   * Continues as a different node without leases, because this node was considered dead or its leases are unclear. It
   * leases nothing until the charges of the old node are posted, because these charges are now paid from unleased
   * credits. Charges that were posted as the old node no longer change the leases here.
   */
  rejoin(node: string): void {
    this.#node = node
    this.#balances.rejoin(node)
    void this.#posted().then(() => this.#balances.resume(node))
  }

  /** Resolves when all settlements that were begun so far are in the database or have failed. */
  async #posted(): Promise<void> {
    await Promise.allSettled(this.#writing)
    await this.#writer.posted()
  }

  /** Sets the moment, by `performance.now()`, after which settlements do not wait for the database. */
  endBy(moment: number): void {
    for (const writer of this.#writers) writer.endBy(moment)
  }

  /** Writes all ended holds. The leases are returned later, when the node leaves. */
  async close(): Promise<void> {
    await this.#claimed?.flush()
    await this.#commits.flush()
    await this.#writer.close()
  }

  #append(hold: Hold, posting: LazyPosting): Promise<Settled> {
    if (!this.#claimed || !this.isClaimed(hold.request)) return this.#commits.append(hold, posting)
    this.#commits.closed(hold)
    return this.#claimed.add(posting)
  }

  async #write(writer: SettlementWriter, batch: Batch): Promise<readonly SettlementOutcome[]> {
    const node = this.#node
    const writing = writer.write(node, batch)
    this.#writing.add(writing)
    try {
      const written = await writing
      return node === this.#node ? written : written.map(unleased)
    } finally {
      this.#writing.delete(writing)
    }
  }

  /**
   * Corrects the leases after a journaled charge was posted. The journal records each charge as paid from the leases,
   * but a charge that was settled before the node had leased again is paid from unleased credits.
   */
  #correct(node: string, { account, budgets, amount }: Posting, posted: Posted): void {
    if (node !== this.#node) return
    this.#balances.of(account).leased += amount - posted.fromLease
    for (const [index, budget] of budgets.entries()) {
      this.#balances.of(budget, true).leased += amount - (posted.fromBudgetLeases[index] ?? amount)
    }
  }

  /**
   * Handles a failed settlement. If leases have a term, the charge may have been written, unless the database rejected
   * it. The amount of such a charge is therefore not spent again.
   */
  #failed(hold: Hold, amount: bigint, error: unknown): void {
    this.#alarms.failed(error)
    if (error instanceof UnstorableError) {
      if (error.writeOff) this.#alarms.writtenOff(hold.request, error.writeOff)
      return
    }
    if (this.#spendUntil === Infinity) return
    this.#balances.becomeUnclear()
    for (const leased of hold.balances) leased.leased -= amount
  }

  /** Raises the alarms of a settlement, if any. */
  #report(request: string, posted: Settled, amount: bigint, writtenOff: readonly WriteOff[]): void {
    for (const writeOff of writtenOff) this.#alarms.writtenOff(request, writeOff)
    const lost = amount - posted.charged
    if (lost > 0n) this.#alarms.writtenOff(request, { amount: lost, reason: "late" })
    if (posted.late) this.#alarms.settledLate(request, posted.charged)
  }

  /** Applies a posted charge to the leased balances. Leases that were lost in the meantime did not pay for it. */
  #apply(hold: Hold, posted: Settled): void {
    const [account] = hold.balances
    if (account) {
      account.leased -= posted.fromLease
      account.posted = posted.balance ?? account.posted - posted.charged
    }
    posted.fromBudgetLeases.forEach((fromLease, index) => {
      const budget = hold.balances[index + 1]
      if (!budget) return
      budget.leased -= fromLease
      budget.posted -= posted.charged
    })
  }

  /** Increases a hold to a higher cost, as far as the credits of the payer allow. */
  async #grow(hold: Hold, cost: bigint): Promise<void> {
    const missing = cost - hold.amount
    let isLate = false
    const grow = (): true | undefined => isLate || this.tryResize(hold, cost) || undefined
    if (this.available(hold.payer) >= missing && grow()) return
    const growing = this.extend(hold.payer, missing, grow, MAX_GROWTH_WAIT_MS)
    await waitAtMost(growing.catch(this.#alarms.failed), MAX_GROWTH_WAIT_MS)
    if (hold.amount >= cost) return
    isLate = true
    const available = this.available(hold.payer)
    const more = available < missing ? available : missing
    if (more > 0n) this.tryResize(hold, hold.amount + more)
  }
}
