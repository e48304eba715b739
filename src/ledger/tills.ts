import type { LeaseGrant } from "../store/records.ts"
import type { Store } from "../store/store.ts"
import type { Payer } from "../store/records.ts"
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

  constructor(store: Store, node: string) {
    this.#store = store
    this.#node = node
  }

  /** The till of an account, or of a key with a budget. */
  of(owner: string): Till {
    const known = this.#tills.get(owner)
    if (known) return known
    const till = new Till(owner)
    this.#tills.set(owner, till)
    return till
  }

  /** What a payer draws on: the account first, then the key's budget if it has one. */
  ofPayer(payer: Payer): Till[] {
    const account = this.of(payer.account)
    return payer.budgeted ? [account, this.of(payer.key)] : [account]
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
          return grants.some(({ free }) => free > 0n)
            ? this.#takeRest(tills, amount, attempt)
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
      await this.#store.returnLease(this.#node, owner, idle)
    } catch (error) {
      till.leased += idle
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
    const grant = await this.#store.lease(order)
    till.leased += grant.granted
    till.posted = grant.posted
    return grant
  }
}
