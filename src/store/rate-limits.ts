/** The unit of a key's limit, per minute. */
export type RateUnit = "requests" | "tokens"

/** A node's order for one limit of a key. Amounts are units of the limit and may be fractions. */
export interface RateOrder {
  readonly key: string
  readonly unit: RateUnit
  /** Units per minute. This is also the maximum burst. */
  readonly limit: number
  /** Units that were used without a lease; negative for units that are returned. */
  readonly used: number
  /** Units that the first waiting request needs. A smaller grant does not help this request. */
  readonly first: number
  /** Units that all waiting requests need together, including the first. */
  readonly needed: number
  /** Units requested in advance. They are granted if the same amount remains for each other node. */
  readonly ahead: number
}

export interface RateGrant {
  /** Units that the node may use at any time. They drain from the bucket in the same way as used units. */
  readonly granted: number
  /** Units that all nodes use, including this grant. */
  readonly level: number
}

/** A node's order for concurrent requests of a key. */
export interface SlotOrder {
  readonly key: string
  /** The id of the process, which does not change when its node gets a new id. */
  readonly node: string
  /** Maximum concurrent requests of all nodes. */
  readonly limit: number
  /** Number of requests that run at the node. It always keeps at least this many slots. */
  readonly running: number
  /** Number of requested slots, including slots of running requests. */
  readonly wanted: number
}

/** Leases parts of keys' rate limits to nodes on several machines. */
export interface RateLimitWrites {
  /**
   * Leases units. Each limit of a key has one bucket, which leases fill and which drains at the rate of the limit, by
   * the database's clock. An unused lease simply drains. If the call is repeated, more may be leased than is used, but
   * never less.
   * @param orders one order for each key and unit.
   * @param machines number of machines that share the limits.
   * @returns the grants, in the order of `orders`.
   */
  lease(orders: readonly RateOrder[], machines: number): Promise<RateGrant[]>
  /**
   * Replaces a node's slots for a key. Slots of nodes that have ended become free.
   * @returns the number of the key's requests that the node may run.
   */
  leaseSlots(order: SlotOrder): Promise<number>
}

/** Maximum debt in minutes, so that a debt that is never corrected ends. */
export const MAX_RATE_DEBT_MINUTES = 10

/** Tolerance for rounding errors of sums, as a fraction of the limit. */
export const RATE_ROUNDING = 1e-9
