/** Watches how long the loop, ours and the gateway's, does not turn. */
export class Pauses implements Disposable {
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
