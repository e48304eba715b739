/** The newest measurements that count. */
const WINDOW = 100
/** With fewer nothing is known. */
const FEWEST = 20
/** The part of the answers that have begun by then. */
const PART = 0.95
/** Shorter is not worth a second attempt: networks and collectors are late by as much. Milliseconds. */
const SHORTEST = 100

/** How long answers of one kind took to begin at a deployment, lately. */
export class FirstBytes {
  readonly #times = new Float64Array(WINDOW)
  #count = 0
  /** Of the measurements so far; undefined when there is a newer one. */
  #late: number | undefined

  /** @param milliseconds from the beginning of an attempt. */
  add(milliseconds: number): void {
    this.#times[this.#count % WINDOW] = milliseconds
    this.#count++
    this.#late = undefined
  }

  /** Milliseconds after which an answer begins later than nearly all do; undefined where too few were seen. */
  get late(): number | undefined {
    if (this.#count < FEWEST) return undefined
    this.#late ??= this.#quantile()
    return this.#late
  }

  #quantile(): number {
    const times = this.#times.slice(0, Math.min(this.#count, WINDOW)).toSorted()
    return Math.max(SHORTEST, times[Math.ceil(times.length * PART) - 1] ?? 0)
  }
}
