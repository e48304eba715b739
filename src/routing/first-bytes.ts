/** Number of recent measurements that are used. */
const MAX_MEASUREMENTS = 100
/** Minimum number of measurements for a result. */
const MIN_MEASUREMENTS = 20
/** The fraction of responses that begin within the resulting time. */
const QUANTILE = 0.95
/** Minimum result. Networks and garbage collection cause smaller delays, which do not justify a second attempt. */
const MIN_RESULT_MS = 100

/** Recent durations until responses of one kind began at a deployment. */
export class FirstBytes {
  readonly #times = new Float64Array(MAX_MEASUREMENTS)
  #count = 0
  /** The cached result for the current measurements; undefined after a new measurement. */
  #late: number | undefined

  /**
   * Adds a measurement.
   * @param milliseconds time since the start of an attempt.
   */
  add(milliseconds: number): void {
    this.#times[this.#count % MAX_MEASUREMENTS] = milliseconds
    this.#count++
    this.#late = undefined
  }

  /**
   * Milliseconds after which a response is later than nearly all others; undefined if there are too few measurements.
   */
  get late(): number | undefined {
    if (this.#count < MIN_MEASUREMENTS) return undefined
    this.#late ??= this.#quantile()
    return this.#late
  }

  #quantile(): number {
    const times = this.#times.slice(0, Math.min(this.#count, MAX_MEASUREMENTS)).toSorted()
    return Math.max(MIN_RESULT_MS, times[Math.ceil(times.length * QUANTILE) - 1] ?? 0)
  }
}
