const STEP = 0x6d2b79f5
const RANGE = 2 ** 32

/**
 * Draws random orders from a seed, so that a run can be repeated. The generator Mulberry32 is good enough to shuffle
 * ten names, and gives the same numbers on every machine.
 */
export class Draw {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed
  }

  /** Returns a number from 0 to 1, excluding 1. */
  next(): number {
    this.#state = (this.#state + STEP) | 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }

  /** Returns the elements in a random order. Each order has the same probability. */
  shuffle<Thing>(things: readonly Thing[]): readonly Thing[] {
    const left = [...things]
    const drawn: Thing[] = []
    while (left.length > 0) drawn.push(...left.splice(Math.floor(this.next() * left.length), 1))
    return drawn
  }
}
