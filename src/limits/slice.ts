import { MINUTE_MS } from "#contract/durations.ts"
import type { RateGrant, RateOrder, RateUnit } from "../store/rate-limits.ts"
import { MAX_DEBT_MINUTES } from "./bucket.ts"
import type { QuotaState } from "./headers.ts"

/** Lifetime of leases. A lease that was not used for this time has drained, and must not be used any more. */
const LEASE_TERM_MS = MINUTE_MS
/** The largest and smallest parts of a limit that a node leases in advance, as fractions. */
const MAX_AHEAD = 1 / 16
const MIN_AHEAD = 1 / 64
/** Duration for which a node leases its usage in advance. */
const AHEAD_MS = 1_000
/** Minimum and maximum time during which a rejection is repeated without a new lease request. */
const MIN_REJECTION_MS = 100
const MAX_REJECTION_MS = 1_000
/** Tolerance for rounding errors of sums, in units. */
const ROUNDING = 1e-6

/** This node's lease of one limit of a key. */
export class Slice {
  readonly unit: RateUnit
  readonly limit: number
  /** Units that may still be used. Negative if more was used than leased. */
  #left = 0
  /** The part of a negative `#left` that the current order covers. */
  #owed = 0
  /** When the lease ends, by the limiter's clock. */
  #until = 0
  /** The units in use by all nodes as last reported by the database, and the time of the report. */
  #level = 0
  #knownAt: number
  /** Units that this node has used since the report. */
  #used = 0
  /** Units that this node uses in `AHEAD_MS`. */
  #pace = 0
  #rejectsUntil = 0
  /** Units that were handed over during a database outage, and the time when this happened. */
  #handedOver = 0
  #handedOverAt = 0
  #rejectedUnits = Infinity

  constructor(unit: RateUnit, limit: number, now: number) {
    this.unit = unit
    this.limit = limit
    this.#knownAt = now
  }

  /** Whether a request can be admitted without a new lease. */
  has(units: number, now: number): boolean {
    if (now >= this.#until) this.#left = Math.min(0, this.#left)
    return this.#left >= units - ROUNDING
  }

  use(units: number): void {
    this.#left -= units
    this.#used += units
  }

  /** Corrects the usage by the units that a request used in addition, or did not use. */
  correct(units: number): void {
    this.#left = Math.max(-this.limit * MAX_DEBT_MINUTES, this.#left - units)
    this.#used = Math.max(0, this.#used + units)
  }

  /** Whether to send a lease request, because little is left or because some units should be returned. */
  get needsLease(): boolean {
    return this.#left < this.#ahead() / 2 || this.#left > this.#maxKept()
  }

  /**
   * Returns the order for the next lease request: owed and needed units, minus returned units. Only one order may be
   * open at a time.
   * @param used units that were used in addition to leased units.
   * @param waiting units that each waiting request needs, in their order.
   */
  order(key: string, used: number, waiting: readonly number[]): RateOrder {
    const { unit, limit } = this
    const [first = 0] = waiting
    const needed = waiting.reduce((sum, units) => sum + units, 0)
    const surplus = this.#surplus(first, needed)
    this.#owed = Math.max(0, -this.#left)
    this.#left -= surplus
    const own = Math.max(0, this.#left)
    return {
      key,
      unit,
      limit,
      used: used + this.#owed - surplus,
      first: Math.max(0, first - own),
      needed: Math.max(0, needed - own),
      ahead: Math.max(0, this.#ahead() - Math.max(0, own - needed)),
    }
  }

  /**
   * Adds leased units.
   * @param askedAt a moment before the database was queried.
   */
  granted({ granted, level }: RateGrant, askedAt: number): void {
    const elapsed = Math.max(1, askedAt - this.#knownAt)
    this.#pace = Math.max(this.#used * Math.min(1, AHEAD_MS / elapsed), this.#pace / 2)
    this.#used = 0
    this.#left += granted + this.#owed
    this.#owed = 0
    this.#level = level
    this.#handedOver = 0
    this.#knownAt = askedAt
    this.#until = askedAt + LEASE_TERM_MS
  }

  /** Records that the database rejected a request. Later requests are then rejected for a while without a query. */
  reject(units: number, now: number): void {
    const wait = Math.min(MAX_REJECTION_MS, Math.max(MIN_REJECTION_MS, this.wait(units, now)))
    this.#rejectedUnits = units
    this.#rejectsUntil = now + wait
  }

  /** Whether the database has just rejected a request of this size. */
  isFull(units: number, now: number): boolean {
    return now < this.#rejectsUntil && units >= this.#rejectedUnits
  }

  /** Returns the estimated milliseconds until a request fits. */
  wait(units: number, now: number): number {
    const room = units > this.limit ? 0 : this.limit - units
    return Math.max(1, ((this.#levelAt(now) - room) * MINUTE_MS) / this.limit)
  }

  /**
   * Hands over the known usage during a database outage. Until the outage ends, each machine counts its own share.
   * @param share this machine's share.
   * @returns the units that this machine has to count.
   */
  handOver(share: number, now: number): number {
    this.#handedOver = Math.max(0, this.#levelAt(now) - Math.max(0, this.#left)) * share
    this.#handedOverAt = now
    return this.#handedOver
  }

  /** Returns the handed-over units that have not drained yet. The database still counts them. */
  undrainedHandOver(share: number, now: number): number {
    const drained = ((now - this.#handedOverAt) * this.limit * share) / MINUTE_MS
    return Math.max(0, this.#handedOver - drained)
  }

  quota(now: number): QuotaState {
    const { limit } = this
    const level = this.usedAt(now)
    return {
      limit,
      remaining: Math.max(0, Math.floor(limit - level + ROUNDING)),
      reset: Math.round((level * MINUTE_MS * 1_000) / limit) / 1_000,
    }
  }

  /** Returns the units in use by all nodes, without this node's unused units. */
  usedAt(now: number): number {
    return Math.max(0, this.#levelAt(now) - this.#left)
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - ((now - this.#knownAt) * this.limit) / MINUTE_MS)
  }

  /** Returns the units to lease in advance. For requests, the number is whole. */
  #ahead(): number {
    const ahead = Math.min(this.limit * MAX_AHEAD, Math.max(this.#pace, this.limit * MIN_AHEAD))
    return this.unit === "requests" ? Math.floor(ahead) : ahead
  }

  /** Returns the maximum units to keep without using them. */
  #maxKept(): number {
    return Math.max(1, 2 * this.#ahead(), this.limit * MAX_AHEAD)
  }

  /**
   * Returns the units to return. A request above the limit only fits if nothing is in use. In this case, all units are
   * returned.
   */
  #surplus(first: number, needed: number): number {
    if (first > this.limit) return Math.max(0, this.#left)
    const spare = this.#left - needed
    return spare > this.#maxKept() ? spare - this.#ahead() : 0
  }
}
