import type { LeaseGrant } from "../store/leases.ts"

/**
 * The lease of one process from one owner, which is an account or a budget of a key. It is kept in memory and contains
 * all amounts that decide whether a request may start, so that no request waits for the database.
 *
 * Invariant: `held` never exceeds `leased`, except for holds whose lease another node has returned, because it
 * considered this node dead. The next lease covers these holds first.
 */
export class LeasedBalance {
  readonly owner: string
  /** Whether the owner is a budget rather than an account. */
  readonly isOfBudget: boolean
  /** The amount that this process may still charge, in nanocredits. */
  leased = 0n
  /** The part of the leased amount that requests hold until they are released or their charges are posted. */
  held = 0n
  /** The number of open holds, including holds of zero. */
  holds = 0
  /** The owner's posted balance as last reported. */
  posted = 0n
  /** The owner's debt as last reported. Until it is paid, nothing is leased. */
  debt = 0n
  /** The amounts that requests are waiting for, one for each request. */
  readonly waiting = new Set<{ readonly amount: bigint }>()
  /** Number of running changes of the lease in the database, other than lease requests. */
  changing = 0
  /** Number of such changes that have ended. */
  changes = 0
  /** The lease request that is in progress. */
  lease: Promise<LeaseGrant> | undefined
  /** The next lease request, for requests that arrived after the current one was sent. */
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
