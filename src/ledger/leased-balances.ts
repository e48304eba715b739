import { readPeriodOwner } from "../accounting/budget-periods.ts"
import { storedAmount } from "../accounting/maxima.ts"
import type { Payer } from "../accounting/payer.ts"
import { waitAtMost } from "../canon/wait-at-most.ts"
import type { LeaseGrant, LeaseShare } from "../store/leases.ts"
import { LedgerError } from "../store/ledger-error.ts"
import type { Store } from "../store/store.ts"
import type { BalanceSnapshot } from "./hold.ts"
import { LeasedBalance } from "./leased-balance.ts"

/** Maximum time that a request waits for other nodes to return idle leases. */
const MAX_RECALL_WAIT_MS = 600
/**
 * Maximum time that a settlement waits for other nodes to return idle credits if the cost exceeds the hold. It is
 * longer than for new requests, because a cost that is not covered is lost.
 */
export const MAX_GROWTH_WAIT_MS = 3_000
/** Pause between attempts to lease. */
const RECALL_PAUSE_MS = 75
/** Maximum time that a request waits until the node may lease again. */
const MAX_REJOIN_WAIT_MS = 5_000

/** Maximum idle budgets with a period, such as daily budgets of end users, that stay in memory. */
const MAX_IDLE = 10_000

/** Manages this process's leases of accounts and budgets. */
export class LeasedBalances {
  readonly #store: Store
  #node: string
  readonly #balances = new Map<string, LeasedBalance>()
  /** When the periods of leased balances end, in Unix milliseconds. */
  readonly #ends = new Map<LeasedBalance, number>()
  #nextEnd = Infinity
  /** Whether the database is accessed over a network, so that failed operations may have been performed. */
  #isRemote = false
  #hasUnclearLeases = false
  /** Increases whenever all leases are abandoned. */
  #epoch = 0
  /** Resolved when the node may lease again; undefined while the node may lease. */
  #clear: PromiseWithResolvers<void> | undefined

  constructor(store: Store, node: string) {
    this.#store = store
    this.#node = node
  }

  /** Marks the database as remote. From now on, failed operations may have been performed. */
  becomeRemote(): void {
    this.#isRemote = true
  }

  /** Whether the leases in the database may differ from the leases in memory. */
  get hasUnclearLeases(): boolean {
    return this.#hasUnclearLeases
  }

  /** Marks the leases in the database as unclear. Until the node has rejoined, nothing more is leased. */
  becomeUnclear(): void {
    this.#hasUnclearLeases = true
    this.#clear ??= Promise.withResolvers()
  }

  /** Totals of all accounts in nanocredits. Budgets are not counted, because they are parts of accounts. */
  get totals(): { readonly held: bigint; readonly leased: bigint } {
    let [held, leased] = [0n, 0n]
    for (const balance of this.#balances.values()) {
      if (balance.isOfBudget) continue
      held += balance.held
      leased += balance.leased
    }
    return { held, leased }
  }

  /** Returns the leased balance of an account or budget, and creates it if necessary. */
  of(owner: string, isOfBudget = false): LeasedBalance {
    return this.#balances.get(owner) ?? this.#open(owner, isOfBudget)
  }

  /** Returns the leased balances of a payer: the account first, then the key's budgets. */
  ofPayer(payer: Payer): LeasedBalance[] {
    const balances = [this.of(payer.account)]
    for (const owner of payer.budgets) balances.push(this.of(owner, true))
    return balances
  }

  /** Returns the amount that a payer can spend without a further lease. */
  available(payer: Payer): bigint {
    let min: bigint | undefined
    for (const { available } of this.ofPayer(payer)) {
      if (min === undefined || available < min) min = available
    }
    return min ?? 0n
  }

  /** Returns the balances of a payer in the ledger, with the account first. */
  snapshot(payer: Payer): BalanceSnapshot[] {
    return this.ofPayer(payer).map(({ owner, posted, available, debt }) => ({
      owner,
      posted,
      available,
      debt,
    }))
  }

  #open(owner: string, isOfBudget: boolean): LeasedBalance {
    const balance = new LeasedBalance(owner, isOfBudget)
    this.#balances.set(owner, balance)
    const period = readPeriodOwner(owner)
    if (period) {
      this.#ends.set(balance, period.until)
      this.#nextEnd = Math.min(this.#nextEnd, period.until)
    }
    return balance
  }

  /**
   * Leases more until the attempt succeeds or nothing more is available. Then it leases the remaining amount and makes
   * a last attempt. Concurrent requests share leases.
   * @param maxWaitMs the maximum time to wait for other nodes to return idle leases. A lease request that has been sent
   * is awaited for longer, because the database may be slow.
   */
  async extend<T>(
    payer: Payer,
    amount: bigint,
    attempt: () => T | undefined,
    maxWaitMs = MAX_RECALL_WAIT_MS,
  ): Promise<T | undefined> {
    const balances = this.ofPayer(payer)
    const waiting = { amount }
    for (const balance of balances) balance.waiting.add(waiting)
    try {
      const deadline = performance.now() + maxWaitMs
      let result = attempt()
      while (result === undefined) {
        const short = balances.filter((balance) => balance.available < amount)
        // More leases do not help if the attempt fails for another reason.
        if (short.length === 0) return undefined
        const changes = changesOf(short)
        const grants = await Promise.all(short.map((balance) => this.#requestLease(balance)))
        result = attempt()
        if (result !== undefined) return result
        const isLate = performance.now() > deadline
        if (!isLate && grants.every(({ granted }) => granted > 0n)) continue
        // While this node itself takes or returns credits, they are neither available here nor free.
        const hasChanged = short.some(({ changing }) => changing > 0) || changesOf(short) > changes
        const isWorthWaiting =
          hasChanged || grants.every((grant) => grant.granted + grant.leasedElsewhere > 0n)
        if (isLate || !isWorthWaiting) {
          // Awaited, so that the request still counts as waiting and the balance does not seem idle.
          return grants.some(({ free }) => free > 0n)
            ? await this.#leaseRest(balances, amount, attempt)
            : undefined
        }
        await Bun.sleep(RECALL_PAUSE_MS)
      }
      return result
    } finally {
      for (const balance of balances) balance.waiting.delete(waiting)
    }
  }

  /** Returns the idle part of a lease to its owner. */
  async giveBack(owner: string): Promise<void> {
    const balance = this.#balances.get(owner)
    const idle = balance?.available ?? 0n
    if (!balance || idle <= 0n) return
    balance.leased -= idle
    await changing(balance, () => this.#giveBack([{ owner, amount: idle }]))
  }

  /**
   * Returns and removes the leases of budgets whose period has ended, and of the oldest budgets if there are too many.
   */
  async closePeriods(now: number): Promise<void> {
    let excess = this.#ends.size - MAX_IDLE
    if (now < this.#nextEnd && excess <= 0) return
    const over = [...this.#ends].flatMap(([balance, end]) =>
      balance.isIdle && (end <= now || excess-- > 0) ? [balance] : [],
    )
    for (const balance of over) {
      this.#ends.delete(balance)
      this.#balances.delete(balance.owner)
    }
    this.#nextEnd = Infinity
    for (const end of this.#ends.values()) this.#nextEnd = Math.min(this.#nextEnd, end)
    const shares = over
      .filter((balance) => balance.leased > 0n)
      .map((balance) => ({ owner: balance.owner, amount: balance.leased }))
    if (shares.length > 0) await this.#giveBack(shares)
  }

  /** Returns amounts to the database. They are no longer counted as leased here. */
  async #giveBack(shares: readonly LeaseShare[]): Promise<void> {
    try {
      await this.#store.leases.giveBack(this.#node, shares)
    } catch (error) {
      if (this.#isRemote) this.becomeUnclear()
      else
        for (const { owner, amount } of shares) this.of(owner, isOfPeriod(owner)).leased += amount
      throw error
    }
  }

  /** Abandons all leases and leases nothing until `resume`. Open holds are still counted. */
  suspend(): void {
    this.#clear ??= Promise.withResolvers()
    this.#epoch++
    for (const balance of this.#balances.values()) balance.leased = 0n
  }

  /** Continues as a different node without leases. The next leases must cover the open holds. */
  rejoin(node: string): void {
    this.suspend()
    this.#node = node
    this.#hasUnclearLeases = false
  }

  /** Allows leases again, unless the node has meanwhile rejoined under another id or must rejoin. */
  resume(node: string): void {
    if (node !== this.#node || this.#hasUnclearLeases) return
    this.#clear?.resolve()
    this.#clear = undefined
  }

  /** @throws LedgerError if the node may not lease again in time. */
  async #untilClear({ promise }: PromiseWithResolvers<void>): Promise<void> {
    await waitAtMost(promise, MAX_REJOIN_WAIT_MS)
    if (this.#clear) throw REJOINING
  }

  async #leaseRest<T>(
    balances: readonly LeasedBalance[],
    amount: bigint,
    attempt: () => T | undefined,
  ): Promise<T | undefined> {
    const short = balances.filter((balance) => balance.available < amount)
    const leaseRest = (balance: LeasedBalance) => () =>
      this.#lease(balance, amount - balance.available, 1n)
    await Promise.all(short.map((balance) => changing(balance, leaseRest(balance))))
    return attempt()
  }

  /** Joins the next lease request if it has not been sent yet; otherwise creates a lease request. */
  #requestLease(balance: LeasedBalance): Promise<LeaseGrant> {
    if (balance.nextLease) return balance.nextLease
    if (!balance.lease) return this.#send(balance)
    balance.nextLease = balance.lease
      .catch(() => undefined)
      .then(() => {
        balance.nextLease = undefined
        return this.#send(balance)
      })
    return balance.nextLease
  }

  /** Leases the total that the waiting requests need. The minimum is the smallest of their amounts. */
  #send(balance: LeasedBalance): Promise<LeaseGrant> {
    let wanted = 0n
    let min: bigint | undefined
    for (const { amount } of balance.waiting) {
      wanted += amount
      if (amount <= balance.available) continue
      if (min === undefined || amount < min) min = amount
    }
    const { available } = balance
    const lease = this.#lease(balance, wanted - available, (min ?? 0n) - available)
    balance.lease = lease
    const taken = (): void => {
      balance.lease = undefined
    }
    lease.then(taken, taken)
    return lease
  }

  async #lease(balance: LeasedBalance, wanted: bigint, min: bigint): Promise<LeaseGrant> {
    if (this.#clear) await this.#untilClear(this.#clear)
    const node = this.#node
    const epoch = this.#epoch
    const { owner } = balance
    const amounts = { wanted: storedAmount(wanted), min: storedAmount(min) }
    const grant = await this.#store.leases.take({ node, owner, ...amounts })
    // A lease of the previous node is ignored, because a rejoin returns all its leases.
    if (epoch === this.#epoch) balance.leased += grant.granted
    balance.posted = grant.posted
    balance.debt = grant.debt
    return grant
  }
}

const REJOINING = new LedgerError(
  "unavailable",
  "the node is posting its earlier charges and leases nothing until then",
)

/** Performs a change of a lease in the database that is not a lease request. */
async function changing<T>(balance: LeasedBalance, change: () => Promise<T>): Promise<T> {
  balance.changing++
  try {
    return await change()
  } finally {
    balance.changing--
    balance.changes++
  }
}

function changesOf(balances: readonly LeasedBalance[]): number {
  return balances.reduce((sum, { changes }) => sum + changes, 0)
}

function isOfPeriod(owner: string): boolean {
  return readPeriodOwner(owner) !== undefined
}
