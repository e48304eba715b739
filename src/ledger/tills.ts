import { readPeriodOwner } from "../accounting/budget-periods.ts"
import type { Payer } from "../accounting/payer.ts"
import type { LeaseGrant } from "../store/leases.ts"
import type { Store } from "../store/store.ts"
import { Till } from "./till.ts"

/** How long a request waits for other nodes to give back idle leases, milliseconds. */
const RECALL_TIME = 600
/** How long it waits before it asks again, milliseconds. */
const RECALL_PAUSE = 75

/** This process's shares of accounts and budgets: how they grow, and how they go back. */
export class Tills {
  readonly #store: Store
  readonly #node: string
  readonly #tills = new Map<string, Till>()
  /** When the periods end that tills are of, Unix milliseconds. */
  readonly #ends = new Map<Till, number>()
  #nextEnd = Infinity

  constructor(store: Store, node: string) {
    this.#store = store
    this.#node = node
  }

  /** The till of an account, or of a budget. */
  of(owner: string): Till {
    return this.#tills.get(owner) ?? this.#open(owner)
  }

  /** What a payer draws on: the account first, then the key's budgets. */
  ofPayer(payer: Payer): Till[] {
    const tills = [this.of(payer.account)]
    for (const owner of payer.budgets) tills.push(this.of(owner))
    return tills
  }

  #open(owner: string): Till {
    const till = new Till(owner)
    this.#tills.set(owner, till)
    const period = readPeriodOwner(owner)
    if (period) {
      this.#ends.set(till, period.until)
      this.#nextEnd = Math.min(this.#nextEnd, period.until)
    }
    return till
  }

  /**
   * Leases more until the attempt succeeds, or there is no more to be had; then leases what is left
   * and tries a last time. Requests that wait at once share their orders.
   */
  async extend<T>(
    payer: Payer,
    amount: bigint,
    attempt: () => T | undefined,
  ): Promise<T | undefined> {
    const tills = this.ofPayer(payer)
    const wish = { amount }
    for (const till of tills) till.waiting.add(wish)
    try {
      const deadline = performance.now() + RECALL_TIME
      let result = attempt()
      while (result === undefined) {
        const short = tills.filter((till) => till.available < amount)
        const grants = await Promise.all(short.map((till) => this.#order(till)))
        result = attempt()
        if (result !== undefined || grants.every(({ granted }) => granted > 0n)) continue
        const isWorthWaiting = grants.every((grant) => grant.granted + grant.leasedElsewhere > 0n)
        if (!isWorthWaiting || performance.now() > deadline) {
          // Awaited: whoever waits for it still waits, or the till would seem idle meanwhile.
          return grants.some(({ free }) => free > 0n)
            ? await this.#takeRest(tills, amount, attempt)
            : undefined
        }
        await Bun.sleep(RECALL_PAUSE)
      }
      return result
    } finally {
      for (const till of tills) till.waiting.delete(wish)
    }
  }

  /** Gives the idle part of a lease back to its owner. */
  async giveBack(owner: string): Promise<void> {
    const till = this.#tills.get(owner)
    const idle = till?.available ?? 0n
    if (!till || idle <= 0n) return
    till.leased -= idle
    try {
      await this.#store.leases.giveBack(this.#node, [{ owner, amount: idle }])
    } catch (error) {
      till.leased += idle
      throw error
    }
  }

  /** Gives back what is leased on budgets whose period is over, and forgets them. */
  async closePeriods(now: number): Promise<void> {
    if (now < this.#nextEnd) return
    const over = [...this.#ends].flatMap(([till, end]) => (end <= now && till.isIdle ? [till] : []))
    for (const till of over) {
      this.#ends.delete(till)
      this.#tills.delete(till.owner)
    }
    this.#nextEnd = Math.min(...this.#ends.values())
    const shares = over
      .filter((till) => till.leased > 0n)
      .map((till) => ({ owner: till.owner, amount: till.leased }))
    if (shares.length === 0) return
    try {
      await this.#store.leases.giveBack(this.#node, shares)
    } catch (error) {
      for (const { owner, amount } of shares) this.of(owner).leased += amount
      throw error
    }
  }

  /** All leases are gone. Open holds stay counted: what is leased next has to cover them. */
  forget(): void {
    for (const till of this.#tills.values()) till.leased = 0n
  }

  async #takeRest<T>(
    tills: readonly Till[],
    amount: bigint,
    attempt: () => T | undefined,
  ): Promise<T | undefined> {
    const short = tills.filter((till) => till.available < amount)
    await Promise.all(short.map((till) => this.#lease(till, amount - till.available, 1n)))
    return attempt()
  }

  /** Joins the next order that is yet to go out, or sends one. */
  #order(till: Till): Promise<LeaseGrant> {
    if (till.nextOrder) return till.nextOrder
    if (!till.order) return this.#send(till)
    till.nextOrder = till.order
      .catch(() => undefined)
      .then(() => {
        till.nextOrder = undefined
        return this.#send(till)
      })
    return till.nextOrder
  }

  /** Orders what all waiting requests need together, and at least what the smallest of them does. */
  #send(till: Till): Promise<LeaseGrant> {
    let wanted = 0n
    let least: bigint | undefined
    for (const { amount } of till.waiting) {
      wanted += amount
      if (amount <= till.available) continue
      if (least === undefined || amount < least) least = amount
    }
    const { available } = till
    const order = this.#lease(till, wanted - available, (least ?? 0n) - available)
    till.order = order
    const sent = (): void => {
      till.order = undefined
    }
    order.then(sent, sent)
    return order
  }

  async #lease(till: Till, wanted: bigint, least: bigint): Promise<LeaseGrant> {
    const order = { node: this.#node, owner: till.owner, wanted, least }
    const grant = await this.#store.leases.take(order)
    till.leased += grant.granted
    till.posted = grant.posted
    till.debt = grant.debt
    return grant
  }
}
