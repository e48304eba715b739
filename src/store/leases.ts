/** Times are Unix milliseconds; amounts are nanocredits. */

/**
 * Lifetime of a recall. A waiting node repeats its recall before this time has passed. The routine `take_lease`
 * contains the same number.
 */
export const RECALL_LIFETIME_MS = 500

/** A part of a lease that is returned. */
export interface LeaseShare {
  readonly owner: string
  readonly amount: bigint
}

export interface LeaseRequest {
  readonly node: string
  /** The owner of the balance, which is an account or a budget of a key. */
  readonly owner: string
  readonly wanted: bigint
  /** The minimum useful amount. Less is not granted, so that another node can lease it. */
  readonly min: bigint
}

export interface LeaseGrant {
  readonly granted: bigint
  /** The owner's posted balance. */
  readonly posted: bigint
  /** The part of the posted balance that is not leased. */
  readonly free: bigint
  /** The part of the posted balance that other nodes have leased. */
  readonly leasedElsewhere: bigint
  /** The owner's debt. Until it is paid, nothing is leased. */
  readonly debt: bigint
}

/** Leases of balances. Nodes charge against their leases without accessing the database. */
export interface LeaseWrites {
  /**
   * Leases the requested amount or a fair share, whichever is higher, if at least `min` is available. If the lease is
   * smaller than requested, other nodes are asked for idle parts of their leases.
   */
  take(request: LeaseRequest): Promise<LeaseGrant>
  giveBack(node: string, shares: readonly LeaseShare[]): Promise<void>
  /**
   * Asks all nodes for the idle parts of their leases of an account or a budget. For half a second, `amount` is not
   * leased again, so that it can be taken out.
   * @returns the amount that is not leased.
   */
  recall(owner: string, amount: bigint): Promise<bigint>
  endRecall(owner: string): Promise<void>
}
