/** Maximum wait of a report for its data. Data that is not ready in time appears in the next report. */
const PATIENCE = 3_000
/**
 * Shorter wait while the data is known to be far behind: a page has several reports, and each would wait for nothing.
 */
const MOMENT = 100

/** Waits for slow work with a timeout, which is shorter while earlier waits have timed out. */
export class Patience {
  readonly #most: number
  #isFarBehind = false

  /** @param most milliseconds. */
  constructor(most = PATIENCE) {
    this.#most = most
  }

  /**
   * Waits until the work is done or the timeout has passed.
   * @throws any error of the work.
   */
  async waitFor(work: Promise<void>): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const patience = this.#isFarBehind ? Math.min(MOMENT, this.#most) : this.#most
    const timer = setTimeout(() => {
      this.#isFarBehind = true
      resolve()
    }, patience)
    const done = work.then(() => {
      this.#isFarBehind = false
    })
    try {
      await Promise.race([done, enough])
    } finally {
      clearTimeout(timer)
      done.catch(() => undefined)
    }
  }
}
