/** Milliseconds in which a whole limit drains. */
export const MINUTE = 60_000

/** Sums of floats stray from the whole number they stand for by less than this. */
const ROUNDING = 1e-9

/** A debt is never longer than so many minutes, so that a correction that got lost heals. */
const LONGEST_DEBT = 10

/**
 * One limit of one key: GCRA in its form as a leaky bucket. What is used fills it, time drains it at
 * the rate of the limit, and what does not fit has to wait. It is counted in units and not in time,
 * so that a changed share leaves what was used as it was.
 */
export class Bucket {
  /** Units per minute, of all processes together. */
  limit: number
  level: number
  #at: number

  constructor(limit: number, level: number, now: number) {
    this.limit = limit
    this.level = level
    this.#at = now
  }

  /** Lets out what has drained since the last time. */
  drain(share: number, now: number): void {
    const drained = ((now - this.#at) * this.limit * share) / MINUTE
    this.level = Math.max(0, this.level - drained)
    this.#at = now
  }

  /** Milliseconds until so many units fit; 0 when they do now. */
  wait(units: number, capacity: number, share: number): number {
    // More than ever fits has to wait until nothing is in use, and becomes a debt.
    const room = units > capacity ? 0 : capacity - units
    const excess = this.level - room
    return excess <= ROUNDING * this.limit ? 0 : (excess * MINUTE) / (this.limit * share)
  }

  /** Adds to what is used; negative units take back, at most all of it. */
  add(units: number, share: number): void {
    const most = this.limit * share * LONGEST_DEBT
    this.level = Math.max(0, Math.min(Math.max(most, this.level), this.level + units))
  }

  /** Milliseconds until it is empty. */
  reset(share: number): number {
    return (this.level * MINUTE) / (this.limit * share)
  }
}
