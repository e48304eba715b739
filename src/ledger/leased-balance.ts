import type { LeaseGrant } from "../store/leases.ts"

/**
 * One process's view, in memory, of its lease of one owner: an account, or a budget of a key. It contains all amounts
 * that decide whether a request may start, so that no request waits for the database.
 *
 * Invariant: `held` never exceeds `leased`, except for holds whose lease was lost to a reaper. The next lease covers
 * those first.
 */
export class LeasedBalance {
  readonly owner: string
  /** Whether the owner is a budget rather than an account. */
  readonly isOfBudget: boolean
  /** The amount that this process may still charge, in nanocredits. */
  leased = 0n
  /** The part of it that requests hold until they are released or their charge is posted. */
  held = 0n
  /** The number of open holds, including holds of zero. */
  holds = 0
  /** The owner's posted balance when last reported. */
  posted = 0n
  /** The owner's debt when last reported. Nothing is leased until it is paid. */
  debt = 0n
  /** The amounts that requests are waiting for, one entry each. */
  readonly waiting = new Set<{ readonly amount: bigint }>()
  /** The lease request in progress. */
  lease: Promise<LeaseGrant> | undefined
  /** The next lease request, for requests that came too late for the running one. */
  nextLease: Promise<LeaseGrant> | undefined

  constructor(owner: string, isOfBudget = false) {
    this.owner = owner
    this.isOfBudget = isOfBudget
  }

  /** The amount that a new request can hold immediately. */
  get available(): bigint {
    return this.leased - this.held
  }

  /** Whether no request is using the balance. */
  get isIdle(): boolean {
    return this.holds === 0 && this.waiting.size === 0 && !this.lease && !this.nextLease
  }
}
