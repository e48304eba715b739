/** Number of recent measurements that are considered. */
const WINDOW = 100
/** Minimum measurements for a result. */
const FEWEST = 20
/** The fraction of responses that have begun by the returned time. */
const PART = 0.95
/**
 * Minimum result in milliseconds. Networks and garbage collection cause similar delays, which are not worth a second
 * attempt.
 */
const SHORTEST = 100

/** Recent times until responses of one kind began at a deployment. */
export class FirstBytes {
  readonly #times = new Float64Array(WINDOW)
  #count = 0
  /** The result for the current measurements; undefined after a new one. */
  #late: number | undefined

  /** @param milliseconds time since the beginning of an attempt. */
  add(milliseconds: number): void {
    this.#times[this.#count % WINDOW] = milliseconds
    this.#count++
    this.#late = undefined
  }

  /** Milliseconds after which a response is later than nearly all others; undefined with too few measurements. */
  get late(): number | undefined {
    if (this.#count < FEWEST) return undefined
    this.#late ??= this.#quantile()
    return this.#late
  }

  #quantile(): number {
    const times = this.#times.slice(0, Math.min(this.#count, WINDOW)).toSorted()
    return Math.max(SHORTEST, times[Math.ceil(times.length * PART) - 1] ?? 0)
  }
}
