/** How long a report waits for what it is made of; what it then has not seen comes with the next, milliseconds. */
const PATIENCE = 3_000
/** The same while that is known to be far behind: a page has several reports, and each would wait in vain. */
const MOMENT = 100

/** Waits for work that may take long, and less often in vain. */
export class Patience {
  readonly #most: number
  #isFarBehind = false

  /** @param most milliseconds. */
  constructor(most = PATIENCE) {
    this.#most = most
  }

  /** Waits until it is done, or has taken long. @throws what the work does. */
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
