/**
 * One process's view, in memory, of its lease on one owner: an account, or a key with a budget.
 * Everything a request needs to know about money before it may start is here, so it never waits for
 * the database.
 *
 * Invariant: `held` never exceeds `leased`, but for the moment after a lease was lost to a reaper.
 */
export class Till {
  readonly owner: string
  /** What this process may still charge, nanocredits. */
  leased = 0n
  /** The part of it that running requests hold. */
  held = 0n
  /** The owner's posted balance when last heard of. */
  posted = 0n
  /** The lease that is being extended right now, so that many requests ask once. */
  extending: Promise<void> | undefined

  constructor(owner: string) {
    this.owner = owner
  }

  /** What a new request can hold at once. */
  get available(): bigint {
    return this.leased - this.held
  }
}
