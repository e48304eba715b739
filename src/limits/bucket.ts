import { MINUTE_MS } from "#contract/durations.ts"
import type { RateUnit } from "../store/rate-limits.ts"

/** Tolerance for rounding errors of sums, as a fraction of the limit. */
const ROUNDING = 1e-9

/** Maximum usage above the limit, in minutes until it has drained. It limits the effect of a lost correction. */
export const MAX_DEBT_MINUTES = 10

/**
 * One limit of one key, implemented as a leaky bucket (GCRA). Usage fills the bucket, and time drains it at the rate of
 * the limit. Usage that does not fit must wait. The bucket counts units instead of time, so that past usage stays the
 * same when the share changes.
 */
export interface Bucket {
  /** Units per minute for all machines together. */
  readonly limit: number
  /**
   * Returns the units in use.
   * @param share this machine's part of the limit.
   */
  levelAt(share: number, now: number): number
  /**
   * Uses units if they fit.
   * @param capacity the maximum burst.
   * @returns 0 if the units were used; otherwise the milliseconds until they fit.
   */
  take(units: number, capacity: number, share: number, now: number): number
  /** Adds to the usage, whether it fits or not. Negative units reduce the usage, but not below zero. */
  add(units: number, share: number, now: number): void
}

/** The buckets of all keys. */
export interface Buckets {
  /** The fraction of every limit that these buckets may use. */
  readonly share: number
  /** Sets the number of machines that share the limits. */
  setMachines(machines: number, now: number): void
  /** Returns the bucket of a key's requests, and creates it if necessary. */
  requests(keyId: string, limit: number, now: number): Bucket
  tokens(keyId: string, limit: number, now: number): Bucket
  /** Returns the bucket of a limit if the key had this limit in its last request. */
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
    const drained = ((now - this.#at) * this.limit * share) / MINUTE_MS
    this.level = Math.max(0, this.level - drained)
    this.#at = now
    return this.level
  }

  take(units: number, capacity: number, share: number, now: number): number {
    // A request that can never fit waits until nothing is in use. Its excess delays later requests.
    const room = units > capacity ? 0 : capacity - units
    const excess = this.levelAt(share, now) - room
    if (excess > ROUNDING * this.limit) return (excess * MINUTE_MS) / (this.limit * share)
    this.add(units, share, now)
    return 0
  }

  add(units: number, share: number, now: number): void {
    const level = this.levelAt(share, now)
    const max = this.limit * share * MAX_DEBT_MINUTES
    this.level = Math.max(0, Math.min(Math.max(max, level), level + units))
  }
}
