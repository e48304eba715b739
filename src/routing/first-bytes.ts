/** Number of recent measurements that are considered. */
const MAX_MEASUREMENTS = 100
/** Minimum measurements for a result. */
const MIN_MEASUREMENTS = 20
/** The fraction of responses that have begun by the returned time. */
const QUANTILE = 0.95
/** Networks and garbage collection cause smaller delays, which are not worth a second attempt. */
const MIN_RESULT_MS = 100

/** Recent times until responses of one kind began at a deployment. */
export class FirstBytes {
  readonly #times = new Float64Array(MAX_MEASUREMENTS)
  #count = 0
  /** The result for the current measurements; undefined after a new one. */
  #late: number | undefined

  /** @param milliseconds time since the beginning of an attempt. */
  add(milliseconds: number): void {
    this.#times[this.#count % MAX_MEASUREMENTS] = milliseconds
    this.#count++
    this.#late = undefined
  }

  /** Milliseconds after which a response is later than nearly all others; undefined with too few measurements. */
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
