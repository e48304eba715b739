import type { RateUnit } from "../store/rate-limits.ts"

/** Time until a full limit has drained. */
export const MINUTE = 60_000

/** Rounding errors of sums are smaller than this fraction of a limit. */
const ROUNDING = 1e-9

/** The maximum debt in minutes, so that a lost correction has a limited effect. */
export const MAX_DEBT_MINUTES = 10

/**
 * One limit of one key: GCRA as a leaky bucket. Usage fills it, time drains it at the rate of the limit, and usage that
 * does not fit must wait. It counts units rather than time, so that a changed share leaves past usage unchanged.
 */
export interface Bucket {
  /** Units per minute, of all machines together. */
  readonly limit: number
  /**
   * Returns the units in use.
   * @param share this machine's part of the limit.
   */
  levelAt(share: number, now: number): number
  /**
   * Uses units if they fit.
   * @param capacity the maximum burst.
   * @returns 0, or the milliseconds until they fit; nothing is used then.
   */
  take(units: number, capacity: number, share: number, now: number): number
  /** Adds to the usage, whether it fits or not. Negative units are returned, at most all of the usage. */
  add(units: number, share: number, now: number): void
}

/** The buckets of all keys. */
export interface Buckets {
  /** The part of every limit that these buckets may use. */
  readonly share: number
  /** Sets how many machines share the limits. */
  setMachines(machines: number, now: number): void
  /** Returns the bucket of a key's requests, creating it if needed. */
  requests(keyId: string, limit: number, now: number): Bucket
  tokens(keyId: string, limit: number, now: number): Bucket
  /** Returns the bucket of a limit if the key had that limit when last seen. */
  used(keyId: string, unit: RateUnit): Bucket | undefined
}

/** The bucket of a process that has its own share of a limit. */
export class PrivateBucket implements Bucket {
  limit: number
  level: number
  #at: number

  constructor(limit: number, level: number, now: number) {
    this.limit = limit
    this.level = level
    this.#at = now
  }

  levelAt(share: number, now: number): number {
    const drained = ((now - this.#at) * this.limit * share) / MINUTE
    this.level = Math.max(0, this.level - drained)
    this.#at = now
    return this.level
  }

  take(units: number, capacity: number, share: number, now: number): number {
    // A request that can never fit waits until nothing is in use, and becomes a debt.
    const room = units > capacity ? 0 : capacity - units
    const excess = this.levelAt(share, now) - room
    if (excess > ROUNDING * this.limit) return (excess * MINUTE) / (this.limit * share)
    this.add(units, share, now)
    return 0
  }

  add(units: number, share: number, now: number): void {
    const level = this.levelAt(share, now)
    const max = this.limit * share * MAX_DEBT_MINUTES
    this.level = Math.max(0, Math.min(Math.max(max, level), level + units))
  }
}
