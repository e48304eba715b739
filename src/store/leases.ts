/** Times are Unix milliseconds; amounts are nanocredits. */

/** A part of a lease that goes back. */
export interface LeaseShare {
  readonly owner: string
  readonly amount: bigint
}

export interface LeaseOrder {
  readonly node: string
  /** An account, or a budget of a key. */
  readonly owner: string
  readonly wanted: bigint
  /** Less than this is of no use: it stays with the owner, where another node finds it. */
  readonly least: bigint
}

export interface LeaseGrant {
  readonly granted: bigint
  /** The owner's posted balance. */
  readonly posted: bigint
  /** What nobody has leased now. */
  readonly free: bigint
  /** What other nodes hold leases on. */
  readonly leasedElsewhere: bigint
  /** What the owner owes: nothing is leased before that is paid. */
  readonly debt: bigint
}
