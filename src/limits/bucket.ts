/** Milliseconds in which a whole limit drains. */
export const MINUTE = 60_000

/** Sums of floats stray from the whole number they stand for by less than this. */
const ROUNDING = 1e-9

/** A debt is never longer than so many minutes, so that a correction that got lost heals. */
export const LONGEST_DEBT = 10

/**
 * One limit of one key: GCRA in its form as a leaky bucket. What is used fills it, time drains it at
 * the rate of the limit, and what does not fit has to wait. It is counted in units and not in time,
 * so that a changed share leaves what was used as it was.
 */
export interface Bucket {
  /** Units per minute, of all processes together. */
  readonly limit: number
  /** Units in use now. @param share the part of the limit that is ours. */
  levelAt(share: number, now: number): number
  /**
   * Uses units, if they fit now.
   * @param capacity the most that fits at once.
   * @returns 0, or milliseconds until they fit; then nothing was used.
   */
  take(units: number, capacity: number, share: number, now: number): number
  /** Adds to what is used, whether it fits or not; negative units take back, at most all of it. */
  add(units: number, share: number, now: number): void
}

/** Where the buckets of all keys are. */
export interface Buckets {
  /** The part of every limit that is for whom these buckets serve. */
  readonly share: number
  /** Tells how many processes share the limits. */
  setProcesses(processes: number, now: number): void
  /** Of a key's requests; made when it is not there. */
  requests(keyId: string, limit: number, now: number): Bucket
  tokens(keyId: string, limit: number, now: number): Bucket
  /** Of a key whose tokens were limited when it was last seen. */
  usedTokens(keyId: string): Bucket | undefined
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
    // More than ever fits has to wait until nothing is in use, and becomes a debt.
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
