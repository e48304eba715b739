/** A state of the search, in which the last `depth` characters are the start of a sequence. */
interface State {
  readonly next: Map<number, State>
  /** Number of characters of the sequence that have been read. */
  readonly depth: number
  /**
   * The state to continue from on a mismatch. It stands for the longest suffix of the read text that starts another
   * sequence.
   */
  fallback: State | undefined
  /** The longest sequence that ends in this state. */
  ended: string | undefined
}

/** Stop sequences as an automaton (Aho and Corasick 1975). The search takes one step for each character. */
export class StopSequences {
  readonly root: State = newState(0)

  /** @param sequences the stop sequences, which are not empty. */
  constructor(sequences: readonly string[]) {
    for (const sequence of sequences) this.#add(sequence)
    this.#link()
  }

  #add(sequence: string): void {
    let state = this.root
    for (let index = 0; index < sequence.length; index++) {
      const code = sequence.charCodeAt(index)
      let next = state.next.get(code)
      if (next === undefined) {
        next = newState(index + 1)
        state.next.set(code, next)
      }
      state = next
    }
    state.ended = sequence
  }

  #link(): void {
    const queue = [this.root]
    for (const state of queue) {
      for (const [code, next] of state.next) {
        next.fallback = state.fallback === undefined ? this.root : step(state.fallback, code)
        next.ended ??= next.fallback.ended
        queue.push(next)
      }
    }
  }
}

/**
 * Finds stop sequences in a text that arrives in chunks. The sequence that ends first is found. If several end at the
 * same place, the longest is found. The result therefore does not depend on chunk boundaries.
 */
export class StopSearch {
  readonly #sequences: StopSequences
  #state: State

  constructor(sequences: StopSequences) {
    this.#sequences = sequences
    this.#state = sequences.root
  }

  /** The sequence that was found; undefined if none was found. */
  get found(): string | undefined {
    return this.#state.ended
  }

  /** The number of last characters that may start a sequence. */
  get begun(): number {
    return this.#state.depth
  }

  /**
   * Searches a chunk.
   * @returns the number of characters up to the end of the sequence that was found; undefined if no sequence was found.
   */
  push(chunk: string): number | undefined {
    for (let index = 0; index < chunk.length; index++) {
      this.#state = step(this.#state, chunk.charCodeAt(index))
      if (this.#state.ended !== undefined) return index + 1
    }
    return undefined
  }

  /** Restarts the search, because the next text does not continue the previous text. */
  restart(): void {
    this.#state = this.#sequences.root
  }
}

function newState(depth: number): State {
  return { next: new Map(), depth, fallback: undefined, ended: undefined }
}

function step(from: State, code: number): State {
  let state = from
  for (;;) {
    const next = state.next.get(code)
    if (next !== undefined) return next
    if (state.fallback === undefined) return state
    state = state.fallback
  }
}
