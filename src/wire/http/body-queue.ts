const DONE = Promise.resolve({ done: true as const, value: undefined })

/** What a queue asks of the connection that fills it. */
export interface Source {
  /** Nobody reads: nothing more is to come until `resume`. */
  pause(): void
  resume(): void
  /** Nobody will read the rest. */
  leave(): void
}

interface Waiting {
  resolve(result: IteratorResult<Uint8Array, undefined>): void
  reject(error: unknown): void
}

/** Bytes that may wait for their reader before the connection is paused. */
const MOST_WAITING = 64 * 1024

/** Pieces of a body between a connection, which pushes, and its one reader, who pulls. */
export class BodyQueue implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: Source
  #pieces: Uint8Array[] = []
  #bytes = 0
  #isPaused = false
  #isOver = false
  #failure: unknown
  #waiting: Waiting | undefined

  constructor(source: Source) {
    this.#source = source
  }

  push(piece: Uint8Array): void {
    const waiting = this.#waiting
    if (waiting !== undefined) {
      this.#waiting = undefined
      waiting.resolve({ done: false, value: piece })
      return
    }
    this.#pieces.push(piece)
    this.#bytes += piece.byteLength
    if (this.#bytes <= MOST_WAITING) return
    this.#isPaused = true
    this.#source.pause()
  }

  /** @param failure why there is no more; absent at a good end. */
  end(failure?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = failure
    const waiting = this.#waiting
    this.#waiting = undefined
    if (failure === undefined) waiting?.resolve({ done: true, value: undefined })
    else waiting?.reject(failure)
  }

  /**
   * All of the body, where its end has come already and it is one piece; then nothing is left to read.
   * @param most bytes; a larger one is left.
   */
  takeWhole(most: number): Uint8Array | undefined {
    if (!this.#isOver || this.#failure !== undefined) return undefined
    return this.#pieces.length === 1 && this.#bytes <= most ? this.#pieces.pop() : undefined
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = this.#pieces.shift()
    if (piece !== undefined) {
      this.#bytes -= piece.byteLength
      if (this.#isPaused && this.#bytes === 0 && !this.#isOver) {
        this.#isPaused = false
        this.#source.resume()
      }
      return Promise.resolve({ done: false, value: piece })
    }
    // What has come is read before a failure behind it is told.
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#isOver) return DONE
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#pieces = []
    if (!this.#isOver) {
      this.#source.leave()
      this.end()
    }
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
