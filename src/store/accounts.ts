/** Times are Unix milliseconds; amounts are nanocredits. */

export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** The posted sum: what all entries add up to. */
  readonly balance: bigint
  /** The part of the balance that nodes hold leases on. */
  readonly leased: bigint
  /** What it owes: while that is above zero, its credits pay for no request. */
  readonly debt: bigint
  /** Whether prompts and answers of its requests are kept. */
  readonly storesContent: boolean
}

/** What may be changed of an account; what is absent stays. */
export interface AccountChange {
  readonly name?: string
  readonly storesContent?: boolean
}
