import type { RateUnit } from "../store/rate-limits.ts"

/** Milliseconds in which a full limit drains. */
export const MINUTE = 60_000

/** Sums of floats differ from the integers they represent by less than this. */
const ROUNDING = 1e-9

/** The longest debt in minutes, so that a lost correction heals. */
export const LONGEST_DEBT = 10

/**
 * One limit of one key: GCRA in its form as a leaky bucket. Usage fills it, time drains it at the rate of the
 * limit, and what does not fit has to wait. It counts units rather than time, so that a changed share leaves
 * past usage unchanged.
 */
export interface Bucket {
  /** Units per minute, of all machines together. */
  readonly limit: number
  /** Units in use now. @param share this machine's part of the limit. */
  levelAt(share: number, now: number): number
  /**
   * Uses units, if they fit now.
   * @param capacity the most that fits in one burst.
   * @returns 0, or milliseconds until they fit; then nothing was used.
   */
  take(units: number, capacity: number, share: number, now: number): number
  /** Adds to the usage, whether it fits or not; negative units give back, at most all of it. */
  add(units: number, share: number, now: number): void
}

/** The buckets of all keys. */
export interface Buckets {
  /** The part of every limit that these buckets may use. */
  readonly share: number
  /** Sets how many machines share the limits. */
  setMachines(machines: number, now: number): void
  /** The bucket of a key's requests; created when it does not exist. */
  requests(keyId: string, limit: number, now: number): Bucket
  tokens(keyId: string, limit: number, now: number): Bucket
  /** The bucket of a limit that was set when the key was last seen. */
  used(keyId: string, unit: RateUnit): Bucket | undefined
}

/** The bucket of a process with its own share of a limit. */
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
    // More than can ever fit waits until nothing is in use, and becomes a debt.
    const room = units > capacity ? 0 : capacity - units
    const excess = this.levelAt(share, now) - room
    if (excess > ROUNDING * this.limit) return (excess * MINUTE) / (this.limit * share)
    this.add(units, share, now)
    return 0
  }

  add(units: number, share: number, now: number): void {
    const level = this.levelAt(share, now)
    const max = this.limit * share * LONGEST_DEBT
    this.level = Math.max(0, Math.min(Math.max(max, level), level + units))
  }
}
