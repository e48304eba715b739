import type { HoldRecord } from "../store/records.ts"
import type { Store } from "../store/store.ts"
import type { Hold, Payer, Settlement, Standing } from "./hold.ts"
import { Journal } from "./journal.ts"
import { Till } from "./till.ts"

/** What the operator must hear of. Helpers never throw. */
export interface LedgerAlarms {
  /** A cost that neither its hold nor the account could cover. */
  writtenOff(request: string, amount: bigint): void
  /** A request whose process died: nothing was charged. */
  expired(hold: HoldRecord): void
  /** The book could not be written. */
  failed(error: unknown): void
}

export interface HoldOrder {
  readonly request: string
  readonly payer: Payer
  /** Nanocredits. */
  readonly amount: bigint
  readonly receipt: () => string
}

/** How long a request waits for other nodes to give back idle leases: tries x pause, milliseconds. */
const RECALL_TRIES = 8
const RECALL_PAUSE = 75

/**
 * The money of one process: holds and settles in memory against leases, and posts to the store in
 * batches. DESIGN section 7 is the promise: an account is never overspent, whatever runs at once.
 */
export class Ledger {
  readonly #store: Store
  readonly #node: string
  readonly #alarms: LedgerAlarms
  readonly #tills = new Map<string, Till>()
  readonly #journal: Journal

  constructor(store: Store, node: string, alarms: LedgerAlarms) {
    this.#store = store
    this.#node = node
    this.#alarms = alarms
    this.#journal = new Journal((batch) => store.post(node, batch))
  }

  /** Why the book cannot be written just now; undefined while all is well. */
  get failure(): unknown {
    return this.#journal.failure
  }

  /** Sets money aside, or does nothing and answers undefined when this process's lease is too small. */
  tryHold(order: HoldOrder): Hold | undefined {
    const tills = this.#tillsOf(order.payer)
    for (const till of tills) if (till.available < order.amount) return undefined
    for (const till of tills) till.held += order.amount
    const { request, payer, amount, receipt } = order
    const hold = {
      request,
      payer,
      tills,
      amount,
      at: Date.now(),
      receipt,
      recorded: false,
      over: false,
    }
    this.#journal.opened(hold)
    return hold
  }

  /** What could be held at once. */
  available(payer: Payer): bigint {
    return this.#tillsOf(payer).reduce(
      (least, till) => (till.available < least ? till.available : least),
      this.#till(payer.account).available,
    )
  }

  /** Leases more, as far as there is more, so that `amount` can be held. */
  async extend(payer: Payer, amount: bigint): Promise<void> {
    await Promise.all(this.#tillsOf(payer).map((till) => this.#extendTo(till, amount)))
  }

  /** How the payer's account and budget stand in the book, the account first. */
  standing(payer: Payer): Standing[] {
    return this.#tillsOf(payer).map(({ owner, posted, available }) => ({
      owner,
      posted,
      available,
    }))
  }

  /** What this process's running requests hold of an account. */
  heldOf(account: string): bigint {
    return this.#tills.get(account)?.held ?? 0n
  }

  /**
   * Ends a hold with its charge. Resolves when the charge is on disk; only then may the last byte of
   * the answer go out.
   * @throws when the book could not be written; then nothing was charged.
   */
  async settle(hold: Hold, cost: bigint, receipt: string): Promise<Settlement> {
    if (cost > hold.amount) await this.#grow(hold, cost)
    const amount = cost > hold.amount ? hold.amount : cost
    this.#end(hold, amount)
    const { request, payer, at } = hold
    try {
      const posted = await this.#journal.append(hold, { request, ...payer, amount, at, receipt })
      const writtenOff = cost - posted.charged
      if (writtenOff > 0n) this.#alarms.writtenOff(request, writtenOff)
      this.#till(payer.account).posted = posted.balance
      return { charged: posted.charged, writtenOff, balance: posted.balance }
    } catch (error) {
      for (const till of hold.tills) till.leased += amount
      this.#alarms.failed(error)
      throw error
    }
  }

  /** Ends a hold without a charge. */
  release(hold: Hold): void {
    if (hold.over) return
    this.#end(hold, 0n)
    this.#journal.closed(hold)
  }

  /** Writes what has lasted; gives back what other nodes ask for. */
  async tick(recalls: readonly string[]): Promise<void> {
    this.#journal.tick(Date.now())
    for (const owner of recalls) {
      const till = this.#tills.get(owner)
      if (till && till.available > 0n) await this.#giveBack(till, till.available)
    }
  }

  /** Our leases were given away because we seemed dead: new holds start from new tills. */
  forgetLeases(): void {
    this.#tills.clear()
  }

  /** Writes everything and gives every lease back. */
  async close(): Promise<void> {
    await this.#journal.flush()
    for (const till of this.#tills.values()) {
      if (till.leased > 0n) await this.#giveBack(till, till.leased)
    }
  }

  #end(hold: Hold, charged: bigint): void {
    hold.over = true
    for (const till of hold.tills) {
      till.held -= hold.amount
      till.leased -= charged
    }
  }

  /** Raises a hold towards a cost above it, as far as the payer has more. */
  async #grow(hold: Hold, cost: bigint): Promise<void> {
    if (this.available(hold.payer) < cost - hold.amount) {
      await this.extend(hold.payer, cost - hold.amount).catch(this.#alarms.failed)
    }
    const available = this.available(hold.payer)
    const missing = cost - hold.amount
    const more = available < missing ? available : missing
    if (more <= 0n) return
    for (const till of hold.tills) till.held += more
    hold.amount += more
  }

  async #extendTo(till: Till, amount: bigint): Promise<void> {
    for (let attempt = 0; attempt < RECALL_TRIES && till.available < amount; attempt++) {
      if (till.extending) {
        await till.extending
        continue
      }
      const wanted = amount - till.available
      const grant = this.#store.lease({ node: this.#node, owner: till.owner, wanted })
      till.extending = grant.then(
        ({ granted, posted }) => {
          till.leased += granted
          till.posted = posted
          till.extending = undefined
        },
        () => {
          till.extending = undefined
        },
      )
      const { granted, leasedElsewhere } = await grant
      if (granted >= wanted || leasedElsewhere === 0n) return
      await Bun.sleep(RECALL_PAUSE)
    }
  }

  async #giveBack(till: Till, amount: bigint): Promise<void> {
    till.leased -= amount
    await this.#store.returnLease(this.#node, till.owner, amount)
  }

  #tillsOf(payer: Payer): Till[] {
    const account = this.#till(payer.account)
    return payer.budgeted ? [account, this.#till(payer.key)] : [account]
  }

  #till(owner: string): Till {
    const known = this.#tills.get(owner)
    if (known) return known
    const till = new Till(owner)
    this.#tills.set(owner, till)
    return till
  }
}
