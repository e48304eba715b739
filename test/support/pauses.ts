import { threadTimeUsed } from "./processor-time.ts"

const MAX_TRIES = 3

/**
 * The longest time that the work blocks the event loop, which the test and the gateway share. Above the limit the work
 * is repeated, because compilers and garbage collectors take their share at times.
 *
 * @param limit milliseconds.
 * @returns milliseconds, the shortest of all attempts.
 */
export async function longestPause(limit: number, work: () => Promise<void>): Promise<number> {
  let least = Infinity
  for (let tries = 0; least >= limit && tries < MAX_TRIES; tries++) {
    using pauses = new Pauses()
    await work()
    least = Math.min(least, pauses.longest)
  }
  return least
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
