/** Resolves after a turn of the event loop, so that pending socket events are handled first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The end of a queue that all long tasks share, because they share one event loop. */
let last = Promise.resolve()

/**
 * Resolves in a turn of the event loop in which no other caller of this function runs, so that only one long task runs
 * per turn.
 */
export function ownTurn(): Promise<void> {
  last = last.then(nextTurn)
  return last
}

/** Minimum bytes of a request whose work is spread over several turns of the event loop. */
const SEVERAL_TURNS_BYTES = 128 * 1024

/** Reports whether reading or writing a request of this size takes several turns. */
export function isLongWork(bytes: number): boolean {
  return bytes >= SEVERAL_TURNS_BYTES
}

/** Work that yields between its steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Runs all steps in the current turn of the event loop. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Runs each step in a separate turn of the event loop. */
export async function inOwnTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    await ownTurn()
    step = steps.next()
  }
  return step.value
}

/**
 * Limits the number of short tasks that start in one turn of the event loop, without a clock or a timer for each task.
 * The count is reset one turn after it has reached half of the maximum.
 */
export class TurnLimit {
  readonly #max: number
  #count = 0
  #laterTurn = Promise.resolve()

  /**
   * @param max the number of new tasks that may start in one turn. The same number of waiting tasks may also start in
   * that turn.
   */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Admits a task.
   * @returns undefined if it may start immediately; otherwise a promise that resolves when it may start.
   */
  enter(): Promise<void> | undefined {
    this.#count += 1
    if (this.#count === this.#max >> 1) setImmediate(() => (this.#count = 0))
    if (this.#count <= this.#max) return undefined
    if (this.#count % this.#max === 1) this.#laterTurn = this.#laterTurn.then(nextTurn)
    return this.#laterTurn
  }
}
