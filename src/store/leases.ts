/** Times are Unix milliseconds; amounts are nanocredits. */

/** A part of a lease to return. */
export interface LeaseShare {
  readonly owner: string
  readonly amount: bigint
}

export interface LeaseRequest {
  readonly node: string
  /** An account, or a budget of a key. */
  readonly owner: string
  readonly wanted: bigint
  /** The smallest useful amount. A smaller one is not granted, so that another node can lease it. */
  readonly min: bigint
}

export interface LeaseGrant {
  readonly granted: bigint
  /** The owner's posted balance. */
  readonly posted: bigint
  /** The part of it that is not leased. */
  readonly free: bigint
  /** The part of it that other nodes have leased. */
  readonly leasedElsewhere: bigint
  /** The owner's debt. Nothing is leased until it is paid. */
  readonly debt: bigint
}

/** Leases of balances. Nodes pay from them without asking the database. */
export interface LeaseWrites {
  /**
   * Leases the larger of the requested amount and a fair share, if that is at least `min`. If the lease is smaller than
   * requested, asks other nodes for the idle parts of their leases.
   */
  take(request: LeaseRequest): Promise<LeaseGrant>
  giveBack(node: string, shares: readonly LeaseShare[]): Promise<void>
  /**
   * Asks all nodes for the idle parts of their leases of an account or a budget. For half a second `amount` is not
   * leased again, so that it can be taken.
   * @returns the free amount.
   */
  recall(owner: string, amount: bigint): Promise<bigint>
  endRecall(owner: string): Promise<void>
}
