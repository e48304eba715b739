/** Maximum time that a report waits for its data. Later data appears in the next report. Tests increase this time. */
export const REPORT_WAIT = { maxMs: 3_000 }
/**
 * Shorter timeout while the data is known to be far behind. A page has several reports, each of which would otherwise
 * wait for the full time.
 */
const SHORT_WAIT_MS = 100

/** Waits for slow work with a timeout. After a timeout, the next waits are shorter until the work has succeeded. */
export class AdaptiveTimeout {
  readonly #maxWaitMs: number
  #hasTimedOut = false

  /** Whether the last work is not done yet. */
  get hasTimedOut(): boolean {
    return this.#hasTimedOut
  }

  constructor(maxWaitMs = REPORT_WAIT.maxMs) {
    this.#maxWaitMs = maxWaitMs
  }

  /**
   * Waits until the work is done or the timeout has passed.
   * @throws any error of the work.
   */
  async waitFor(work: Promise<void>): Promise<void> {
    const { promise: timeout, resolve } = Promise.withResolvers<void>()
    const waitMs = this.#hasTimedOut ? Math.min(SHORT_WAIT_MS, this.#maxWaitMs) : this.#maxWaitMs
    const timer = setTimeout(() => {
      this.#hasTimedOut = true
      resolve()
    }, waitMs)
    const done = work.then(() => {
      this.#hasTimedOut = false
    })
    try {
      await Promise.race([done, timeout])
    } finally {
      clearTimeout(timer)
      done.catch(() => undefined)
    }
  }
}
