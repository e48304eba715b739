/** What a limit of a key counts, per minute. */
export type RateUnit = "requests" | "tokens"

/** What a node wants of one limit of a key. Amounts are units of the limit; they need not be whole. */
export interface RateOrder {
  readonly key: string
  readonly unit: RateUnit
  /** Units per minute, which is also the most that fits in one burst. */
  readonly limit: number
  /** What the node has used without having leased it; negative: what it gives back. */
  readonly used: number
  /** What the first of the waiting requests needs: less is of no use to it. */
  readonly first: number
  /** What all waiting requests need, the first one included. */
  readonly needed: number
  /** What the node would like to have in advance, if there is that much for each of the others. */
  readonly ahead: number
}

export interface RateGrant {
  /** What the node may use, at any time. It has left the bucket, and drains like what is used. */
  readonly granted: number
  /** What is in use now by all nodes, this grant included. */
  readonly level: number
}

/** How many requests of a key a node wants to run at the same time. */
export interface SlotOrder {
  readonly key: string
  /** The process, whatever its node's present id is. */
  readonly node: string
  /** How many may run at all nodes together. */
  readonly limit: number
  /** How many run at the node: it keeps at least these. */
  readonly running: number
  /** How many it wants to run, those that run included. */
  readonly wanted: number
}

/** The limits of keys, of which nodes on several machines lease what they use. */
export interface RateLimitWrites {
  /**
   * One bucket for each limit of a key: leases fill it, and it drains at the rate of the limit, by the database's clock. A
   * lease that is never used just drains. If this is repeated, more is leased than is used, never less.
   * @param orders one for each key and unit.
   * @param machines how many share the limits.
   * @returns in the order of the orders.
   */
  lease(orders: readonly RateOrder[], machines: number): Promise<RateGrant[]>
  /**
   * Replaces what a node may run of a key. The slots of nodes that are gone are free.
   * @returns how many requests of the key the node may run.
   */
  leaseSlots(order: SlotOrder): Promise<number>
}

/** The longest debt in minutes, so that one that was never paid back heals. */
export const LONGEST_RATE_DEBT = 10

/** Sums of floats differ from what they stand for by less than this part of a limit. */
export const RATE_ROUNDING = 1e-9
