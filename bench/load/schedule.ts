/** The planned starts of the requests of an open loop: at a fixed rate, regardless of earlier requests. */
export class Schedule {
  readonly count: number
  /** Milliseconds between two requests. */
  readonly #interval: number
  #begun = 0

  /** @param rate of requests per second. @param duration in milliseconds. */
  constructor(rate: number, duration: number) {
    this.#interval = 1_000 / rate
    this.count = Math.max(1, Math.floor(duration / this.#interval))
  }

  /** Returns the planned start in milliseconds after the beginning. @param number from 0. */
  plannedAt(number: number): number {
    return number * this.#interval
  }

  /** Yields the requests that are due, in order. @param elapsed milliseconds since the beginning. */
  *due(elapsed: number): Generator<number> {
    while (this.#begun < this.count && this.plannedAt(this.#begun) <= elapsed) {
      yield this.plannedAt(this.#begun++)
    }
  }

  /** Whether all requests were taken. */
  get isOver(): boolean {
    return this.#begun === this.count
  }
}
