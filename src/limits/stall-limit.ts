import type { Reservation } from "./memory-budget.ts"

/** Maximum milliseconds for which the rest of a complete response waits for its caller to read it. */
export interface StallTimes {
  /** The time while memory is short, for the accounts that hold the most memory. */
  readonly shortMs: number
  readonly longMs: number
}

/**
 * The runtime requests more data only when the operating system has accepted all earlier data. A full system buffer
 * accepts data again only after the caller has read about a megabyte. A caller that reads slowly may therefore appear
 * idle for minutes.
 */
const STALL_TIMES: StallTimes = { shortMs: 60_000, longMs: 600_000 }

/** Ends a response whose caller does not read, because the rest of the response occupies memory. */
export class StallLimit implements Disposable {
  readonly #memory: Pick<Reservation, "isShort">
  readonly #end: () => void
  readonly #times: StallTimes
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(memory: Pick<Reservation, "isShort">, end: () => void, times = STALL_TIMES) {
    this.#memory = memory
    this.#end = end
    this.#times = times
  }

  /** Starts the time again, because the caller has read or the response has ended. */
  restart(): void {
    this[Symbol.dispose]()
    this.#wait(performance.now())
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #wait(startedAt: number): void {
    const { shortMs, longMs } = this.#times
    this.#timer = setTimeout(() => {
      const isOver = performance.now() - startedAt >= longMs
      if (isOver || this.#memory.isShort) this.#end()
      else this.#wait(startedAt)
    }, shortMs)
    this.#timer.unref()
  }
}
