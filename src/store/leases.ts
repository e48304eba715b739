/** Times are Unix milliseconds; amounts are nanocredits. */

/** A part of a lease that goes back. */
export interface LeaseShare {
  readonly owner: string
  readonly amount: bigint
}

export interface LeaseRequest {
  readonly node: string
  /** An account, or a budget of a key. */
  readonly owner: string
  readonly wanted: bigint
  /** Less than this is of no use: it stays with the owner, where another node finds it. */
  readonly min: bigint
}

export interface LeaseGrant {
  readonly granted: bigint
  /** The owner's posted balance. */
  readonly posted: bigint
  /** The part that is not leased. */
  readonly free: bigint
  /** What other nodes hold leases on. */
  readonly leasedElsewhere: bigint
  /** What the owner owes: nothing is leased before that is paid. */
  readonly debt: bigint
}

/** The shares of balances that nodes spend from without asking. */
export interface LeaseWrites {
  /** Leases what is wanted or a fair share, if there is enough to be of use; when short, asks other nodes for their idle part. */
  take(request: LeaseRequest): Promise<LeaseGrant>
  giveBack(node: string, shares: readonly LeaseShare[]): Promise<void>
  /**
   * Asks all nodes for the idle parts of their leases on an account or a budget. For half a second no one
   * leases anything of `amount` again, so that it can be taken out.
   * @returns what is free now.
   */
  recall(owner: string, amount: bigint): Promise<bigint>
  endRecall(owner: string): Promise<void>
}
