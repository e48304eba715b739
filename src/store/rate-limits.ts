/** The unit of a key's limit, per minute. */
export type RateUnit = "requests" | "tokens"

/** A node's order for one limit of a key. Amounts are units of the limit and may be fractions. */
export interface RateOrder {
  readonly key: string
  readonly unit: RateUnit
  /** Units per minute, which is also the maximum burst. */
  readonly limit: number
  /** Units used without a lease; negative: units returned. */
  readonly used: number
  /** Units that the first waiting request needs. Fewer are useless to it. */
  readonly first: number
  /** Units that all waiting requests need, including the first. */
  readonly needed: number
  /** Units requested in advance, if as much remains for each other node. */
  readonly ahead: number
}

export interface RateGrant {
  /** Units that the node may use at any time. They drain from the bucket like used ones. */
  readonly granted: number
  /** Units in use by all nodes, including this grant. */
  readonly level: number
}

/** A node's order for concurrent requests of a key. */
export interface SlotOrder {
  readonly key: string
  /** The process, independent of its node's current id. */
  readonly node: string
  /** Maximum concurrent requests of all nodes. */
  readonly limit: number
  /** Requests running at the node. It keeps at least these slots. */
  readonly running: number
  /** Slots requested, including those of running requests. */
  readonly wanted: number
}

/** The limits of keys, which nodes on several machines lease. */
export interface RateLimitWrites {
  /**
   * Leases units from one bucket for each limit of a key. Leases fill the bucket, and it drains at the rate of the
   * limit, by the database's clock. An unused lease simply drains. Repeating the call leases more than is used, never
   * less.
   * @param orders one for each key and unit.
   * @param machines how many share the limits.
   * @returns grants in the order of the orders.
   */
  lease(orders: readonly RateOrder[], machines: number): Promise<RateGrant[]>
  /**
   * Replaces a node's slots for a key. Slots of nodes that have ended are free.
   * @returns how many requests of the key the node may run.
   */
  leaseSlots(order: SlotOrder): Promise<number>
}

/** The maximum debt in minutes, so that a debt that is never paid back ends. */
export const MAX_RATE_DEBT_MINUTES = 10

/** Rounding errors of sums are smaller than this fraction of a limit. */
export const RATE_ROUNDING = 1e-9
