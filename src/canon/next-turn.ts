/** Resolves once the event loop has turned: what waits on sockets has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** There is one event loop, so there is one line of those that hold it. */
let last = Promise.resolve()

/** Resolves in a turn of the event loop that no other caller of this has: what takes long there is done one at a time. */
export function ownTurn(): Promise<void> {
  last = last.then(nextTurn)
  return last
}

/**
 * Limits the number of short tasks that begin in one turn of the event loop. It needs neither the clock nor a timer
 * per task: the count is reset after the turn in which half of the maximum is reached.
 */
export class TurnLimit {
  readonly #max: number
  #count = 0
  #laterTurn = Promise.resolve()

  /** @param max tasks that begin in one turn; the same number of waiting tasks may begin in that turn. */
  constructor(max: number) {
    this.#max = max
  }

  /** Admits a task. @returns undefined if it may begin immediately; otherwise resolves in the turn that it may use. */
  enter(): Promise<void> | undefined {
    this.#count += 1
    if (this.#count === this.#max >> 1) setImmediate(() => (this.#count = 0))
    if (this.#count <= this.#max) return undefined
    if (this.#count % this.#max === 1) this.#laterTurn = this.#laterTurn.then(nextTurn)
    return this.#laterTurn
  }
}
