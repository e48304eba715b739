import { scaledLimit, threadTimeUsed } from "./processor-time.ts"

const MAX_TRIES = 3

/**
 * Returns the longest time for which a function blocks the event loop, which the test and the gateway share. If it
 * exceeds the limit, the function is called again, because compilers and garbage collectors also take time. If it
 * exceeds the limit in every attempt, it is divided by the current slowdown of the machine.
 *
 * @param limit the limit in milliseconds.
 * @returns the shortest result of all attempts in milliseconds.
 */
export async function longestPause(limit: number, work: () => Promise<void>): Promise<number> {
  let least = Infinity
  for (let tries = 0; least >= limit && tries < MAX_TRIES; tries++) {
    if (tries > 0) Bun.gc(true)
    using pauses = new Pauses()
    await work()
    least = Math.min(least, pauses.longest)
  }
  return least < limit ? least : (least * limit) / scaledLimit(limit)
}

/**
 * Measures the longest time in which the event loop was blocked, excluding the time of other programs on the machine.
 */
class Pauses implements Disposable {
  /** The longest time so far in milliseconds. */
  longest = 0
  #last = performance.now()
  #lastUsed = threadTimeUsed()
  readonly #timer: Timer

  constructor() {
    this.#timer = setInterval(() => {
      const now = performance.now()
      const used = threadTimeUsed()
      this.longest = Math.max(this.longest, Math.min(now - this.#last, used - this.#lastUsed))
      this.#last = now
      this.#lastUsed = used
    }, 5)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
