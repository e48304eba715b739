/** The planned starts of the requests of an open loop. The rate is fixed and does not depend on earlier requests. */
export class Schedule {
  readonly count: number
  /** Milliseconds between two requests. */
  readonly #interval: number
  #begun = 0

  /**
   * @param rate requests per second.
   * @param duration milliseconds.
   */
  constructor(rate: number, duration: number) {
    this.#interval = 1_000 / rate
    this.count = Math.max(1, Math.floor(duration / this.#interval))
  }

  /**
   * Returns the planned start in milliseconds after the beginning.
   * @param number the index of the request, starting at 0.
   */
  plannedAt(number: number): number {
    return number * this.#interval
  }

  /**
   * Yields the indexes of the requests that are due, in order.
   * @param elapsed milliseconds since the beginning.
   */
  *due(elapsed: number): Generator<number> {
    while (this.#begun < this.count && this.plannedAt(this.#begun) <= elapsed) {
      yield this.plannedAt(this.#begun++)
    }
  }

  /** Whether all requests have been yielded. */
  get isOver(): boolean {
    return this.#begun === this.count
  }
}
