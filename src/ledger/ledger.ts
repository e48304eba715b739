import type { WriteOff } from "../accounting/chained-records.ts"
import type { Payer } from "../accounting/payer.ts"
import type { HoldRecord, Posted } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"
import type { Hold, Settlement, BalanceSnapshot } from "./hold.ts"
import { Journal } from "./journal.ts"
import { LeasedBalances } from "./leased-balances.ts"

/** What the operator must hear of. Helpers never throw. */
export interface LedgerAlarms {
  /** A part of a cost that no one pays. */
  writtenOff(request: string, writeOff: WriteOff): void
  /** A request that was taken for dead, and had expired, has ended and been charged after all. */
  settledLate(request: string, charged: bigint): void
  /** A request whose process died: nothing was charged. */
  expired(hold: HoldRecord): void
  /** The ledger could not be written. */
  failed(error: unknown): void
}

export interface HoldInput {
  readonly request: string
  readonly payer: Payer
  /** Nanocredits. */
  readonly amount: bigint
  /** The receipt to keep if the process dies first. It must not throw. */
  readonly receipt: () => string
}

const IMAGINED = { recorded: false, over: true } as const

/**
 * The money of one process: holds and settles in memory against leases, and posts to the store in
 * batches. docs/api.md#money is the promise: an account is never overspent, whatever runs at once.
 */
export class Ledger {
  readonly #store: Store
  readonly #node: string
  readonly #alarms: LedgerAlarms
  readonly #balances: LeasedBalances
  readonly #journal: Journal
  #open = 0
  #refusal: unknown

  constructor(store: Store, node: string, alarms: LedgerAlarms) {
    this.#store = store
    this.#node = node
    this.#alarms = alarms
    this.#balances = new LeasedBalances(store, node)
    this.#journal = new Journal((batch) => store.settlements.post(node, batch))
  }

  /** Why the ledger cannot be written just now; undefined while all is well. */
  get failure(): unknown {
    return this.#refusal ?? this.#journal.failure
  }

  /** From now on nothing is held, for a reason; without one it goes on. */
  refuse(reason: unknown): void {
    this.#refusal = reason
  }

  /** Holds that are not over yet, those included whose charge is on its way to the disk. */
  get open(): number {
    return this.#open
  }

  /** Sets money aside, or does nothing and answers undefined when this process's lease is too small. */
  tryHold(input: HoldInput): Hold | undefined {
    const { request, payer, amount, receipt } = input
    const balances = this.#balances.ofPayer(payer)
    for (const balance of balances) if (balance.available < amount) return undefined
    for (const balance of balances) {
      balance.held += amount
      balance.holds++
    }
    const at = momentFor(payer)
    const hold: Hold = {
      request,
      payer,
      balances,
      amount,
      at,
      receipt,
      recorded: false,
      over: false,
      place: undefined,
    }
    this.#journal.opened(hold)
    this.#open++
    return hold
  }

  /**
   * Makes a hold smaller, or larger; does nothing when this process's lease does not cover what is more.
   * @returns whether it is of that amount now.
   */
  tryResize(hold: Hold, amount: bigint): boolean {
    const more = amount - hold.amount
    if (more > 0n && hold.balances.some(({ available }) => available < more)) return false
    for (const balance of hold.balances) balance.held += more
    hold.amount = amount
    return true
  }

  /** A hold for those who only want to know: it is over from the beginning, and sets nothing aside. */
  imagine({ request, payer, amount, receipt }: HoldInput): Hold {
    return { request, payer, balances: [], amount, at: momentFor(payer), receipt, ...IMAGINED }
  }

  /** What could be held at once. */
  available(payer: Payer): bigint {
    let min: bigint | undefined
    for (const { available } of this.#balances.ofPayer(payer)) {
      if (min === undefined || available < min) min = available
    }
    return min ?? 0n
  }

  /**
   * Leases more, as far as there is more, so that `amount` can be held. Those who wait at once are
   * served in turn, so what is leased may be gone when this resolves.
   * @returns true where so much can be held.
   */
  lease(payer: Payer, amount: bigint): Promise<true | undefined> {
    return this.extend(payer, amount, () => this.available(payer) >= amount || undefined)
  }

  /** The same, with an `attempt` that places the hold the moment there is enough: its result is the answer. */
  extend<T>(payer: Payer, amount: bigint, attempt: () => T | undefined): Promise<T | undefined> {
    return this.#balances.extend(payer, amount, attempt)
  }

  /** How the payer's account and budgets stand in the ledger, the account first. */
  snapshot(payer: Payer): BalanceSnapshot[] {
    const balances = this.#balances.ofPayer(payer)
    return balances.map(({ owner, posted, available, debt }) => ({
      owner,
      posted,
      available,
      debt,
    }))
  }

  /** What this process's requests hold of an account, those included whose charge is being posted. */
  heldOf(account: string): bigint {
    return this.#balances.of(account).held
  }

  /**
   * Ends a hold with its charge. A cost that nothing covers is written off, in the same transaction. Resolves when the charge is on disk; only then may the last byte of
   * the answer go out.
   * @param receipt its text, asked for when it is written. It must not throw.
   * @param beyond what is not to be charged whatever the account has; it is no part of the cost.
   * @throws when the ledger could not be written; then nothing was charged.
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
    for (const till of hold.balances) till.held -= hold.amount - amount
    try {
      const { state } = hold
      const posting = { request, account, key, budgets, amount, writtenOff, at, receipt, state }
      const posted = await this.#journal.append(hold, posting)
      const { charged, balance } = posted
      this.#book(hold, posted)
      this.#report(request, posted, amount, writtenOff)
      const written = writtenOff.reduce((sum, part) => sum + part.amount, amount - charged)
      return { charged, writtenOff: written, balance }
    } catch (error) {
      this.#alarms.failed(error)
      throw error
    } finally {
      for (const till of hold.balances) {
        till.held -= amount
        till.holds--
      }
      this.#open--
    }
  }

  /** Writes what has lasted; gives back what others ask for, and what is over; looks whether a failure is. */
  async tick(recalls: readonly string[]): Promise<void> {
    const now = Date.now()
    this.#journal.tick(now)
    for (const owner of recalls) await this.#balances.giveBack(owner)
    await this.#balances.closePeriods(now)
    const { failure } = this.#journal
    if (failure === undefined) return
    await this.#store.nodes.poll(this.#node, now)
    if (this.#journal.failure === failure) this.#journal.failure = undefined
  }

  /** Our leases were given away because we seemed dead: they have to be leased again. */
  forgetLeases(): void {
    this.#balances.forget()
  }

  /** Writes everything that has ended. The leases go back when the node leaves. */
  async close(): Promise<void> {
    await this.#journal.flush()
  }

  /** Raises the alarms of a settlement: nearly always, none. */
  #report(request: string, posted: Posted, amount: bigint, writtenOff: readonly WriteOff[]): void {
    for (const writeOff of writtenOff) this.#alarms.writtenOff(request, writeOff)
    const lost = amount - posted.charged
    if (lost > 0n) this.#alarms.writtenOff(request, { amount: lost, reason: "late" })
    if (posted.late) this.#alarms.settledLate(request, posted.charged)
  }

  /** Takes a charge over from the ledger. A lease that was lost meanwhile has not paid for it. */
  #book(hold: Hold, posted: Posted): void {
    const [account] = hold.balances
    if (account) {
      account.leased -= posted.fromLease
      account.posted = posted.balance
    }
    posted.fromBudgetLeases.forEach((fromLease, index) => {
      const budget = hold.balances[index + 1]
      if (!budget) return
      budget.leased -= fromLease
      budget.posted -= posted.charged
    })
  }

  /** Raises a hold towards a cost above it, as far as the payer has more. */
  async #grow(hold: Hold, cost: bigint): Promise<void> {
    const missing = cost - hold.amount
    if (this.available(hold.payer) < missing) {
      await this.lease(hold.payer, missing).catch(this.#alarms.failed)
    }
    const available = this.available(hold.payer)
    const more = available < missing ? available : missing
    if (more > 0n) this.tryResize(hold, hold.amount + more)
  }
}

/**
 * When a hold is placed: now, but never outside of what its payer holds for. So the budgets that it
 * draws on are always those of its own day and month.
 */
function momentFor(payer: Payer): number {
  const now = Date.now()
  if (now < payer.from) return payer.from
  return now < payer.until ? now : payer.until - 1
}

const NOTHING: readonly WriteOff[] = []

/**
 * A write-off says how much was not charged, and what a vendor tells has no end: a million credits stand
 * for all that is more, so that the ledger can hold them and add them up. Nanocredits.
 */
export const MAX_WRITTEN_OFF = 1_000_000_000_000_000n

function atMost({ amount, reason }: WriteOff): WriteOff {
  return { amount: amount < MAX_WRITTEN_OFF ? amount : MAX_WRITTEN_OFF, reason }
}

/** What no one pays: what is missing of the cost, and what was never to be charged. */
function writeOffsOf(
  hold: Hold,
  missing: bigint,
  beyond: WriteOff | undefined,
): readonly WriteOff[] {
  if (missing === 0n) return beyond === undefined ? NOTHING : [atMost(beyond)]
  const [account] = hold.balances
  const isEmpty = account === undefined || account.available <= 0n
  const short = atMost({ amount: missing, reason: isEmpty ? "account_empty" : "budget_empty" })
  return beyond === undefined ? [short] : [short, atMost(beyond)]
}
