import { GatewayError } from "../canon/errors.ts"

interface Tally {
  count: number
  readonly until: number
}

/** How many names are remembered; beyond it the oldest are forgotten. */
const MAX_NAMES = 10_000

/** Counts failed attempts, so that guessing is hopeless. In memory, per process. */
export class Attempts {
  readonly #max: number
  readonly #window: number
  readonly #tallies = new Map<string, Tally>()

  /** @param window milliseconds, from the first attempt on. */
  constructor(max: number, window: number) {
    this.#max = max
    this.#window = window
  }

  /**
   * Counts an attempt before it is made, so that parallel attempts do not get around the limit.
   * @throws GatewayError `too_many_attempts`.
   */
  take(name: string, now: number): void {
    const tally = this.#tallyOf(name, now)
    if (tally.count >= this.#max) {
      const retryAfter = Math.ceil((tally.until - now) / 1_000)
      throw new GatewayError(
        "too_many_attempts",
        `That was wrong too often. Try again in ${Math.ceil(retryAfter / 60)} minutes.`,
        { retryAfter },
      )
    }
    tally.count++
  }

  /** It was not in vain. */
  giveBack(name: string): void {
    const tally = this.#tallies.get(name)
    if (tally && tally.count > 0) tally.count--
  }

  #tallyOf(name: string, now: number): Tally {
    const known = this.#tallies.get(name)
    if (known && known.until > now) return known
    const tally = { count: 0, until: now + this.#window }
    this.#tallies.delete(name)
    this.#tallies.set(name, tally)
    const [oldest] = this.#tallies.keys()
    if (this.#tallies.size > MAX_NAMES && oldest !== undefined) this.#tallies.delete(oldest)
    return tally
  }
}
