const MOST_TRIES = 3

/**
 * How long the loop, ours and the gateway's, does not turn while something is done. What takes longer than the limit is
 * done again: a machine that does other work as well may pause by itself, and not each time.
 *
 * @param limit milliseconds.
 * @returns milliseconds, the least of all tries.
 */
export async function longestPause(limit: number, work: () => Promise<void>): Promise<number> {
  let least = Infinity
  for (let tries = 0; least >= limit && tries < MOST_TRIES; tries++) {
    using pauses = new Pauses()
    await work()
    least = Math.min(least, pauses.longest)
  }
  return least
}

class Pauses implements Disposable {
  /** Milliseconds. */
  longest = 0
  #last = performance.now()
  readonly #timer: Timer

  constructor() {
    this.#timer = setInterval(() => {
      const now = performance.now()
      this.longest = Math.max(this.longest, now - this.#last)
      this.#last = now
    }, 5)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
