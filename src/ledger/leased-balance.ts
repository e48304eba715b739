import type { LeaseGrant } from "../store/leases.ts"

/**
 * One process's view, in memory, of its lease on one owner: an account, or a budget of a key. It has everything
 * that a request needs to know about money before it may start, so that no request waits for the database.
 *
 * Invariant: `held` never exceeds `leased`, except for holds whose lease was lost to a reaper: the next lease
 * covers those first.
 */
export class LeasedBalance {
  readonly owner: string
  /** Whether it is a part of what an account has. */
  readonly isOfBudget: boolean
  /** What this process may still charge, nanocredits. */
  leased = 0n
  /** The part of it that requests hold until they are released or their charge is posted. */
  held = 0n
  /** How many holds are open on it, holds of zero included. */
  holds = 0
  /** The owner's posted balance when last reported. */
  posted = 0n
  /** What the owner owed when last reported: until it is paid, nothing is leased. */
  debt = 0n
  /** The amounts that requests wait for, one entry each. */
  readonly waiting = new Set<{ readonly amount: bigint }>()
  /** The lease request in progress. */
  lease: Promise<LeaseGrant> | undefined
  /** The lease request after that one: it includes what came too late for it. */
  nextLease: Promise<LeaseGrant> | undefined

  constructor(owner: string, isOfBudget = false) {
    this.owner = owner
    this.isOfBudget = isOfBudget
  }

  /** What a new request can hold immediately. */
  get available(): bigint {
    return this.leased - this.held
  }

  /** Whether no request uses it now. */
  get isIdle(): boolean {
    return this.holds === 0 && this.waiting.size === 0 && !this.lease && !this.nextLease
  }
}
