import { ChunkList } from "../chunk-list.ts"

const DONE = Promise.resolve({ done: true as const, value: undefined })

/** The connection from which a queue receives its chunks. */
export interface Source {
  /** Stops reading from the socket until `resume` is called, because the reader is slow. */
  pause(): void
  resume(): void
  /** Called if the rest of the body will not be read. */
  leave(): void
}

interface Waiting {
  resolve(result: IteratorResult<Uint8Array, undefined>): void
  reject(error: unknown): void
}

/** Maximum buffered bytes. The connection is paused when more bytes are buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** The chunks of a body. A connection pushes them, and a single reader pulls them. */
export class BodyQueue implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: Source
  readonly #list = new ChunkList()
  #bytes = 0
  #isPaused = false
  #isOver = false
  #failure: unknown
  #waiting: Waiting | undefined

  constructor(source: Source) {
    this.#source = source
  }

  push(chunk: Uint8Array): void {
    const waiting = this.#waiting
    if (waiting !== undefined) {
      this.#waiting = undefined
      waiting.resolve({ done: false, value: chunk })
      return
    }
    this.#list.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes <= MAX_BUFFERED_BYTES) return
    this.#isPaused = true
    this.#source.pause()
  }

  /**
   * Ends the queue.
   * @param failure the reason why the body was cut off; absent if the body is complete.
   */
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
   * Takes the complete body if its end has arrived and it is a single chunk.
   * @param max maximum bytes. A larger body is not taken.
   */
  takeWhole(max: number): Uint8Array | undefined {
    if (!this.#isOver || this.#failure !== undefined) return undefined
    return this.#list.chunks.length === 1 && this.#bytes <= max ? this.#list.shift() : undefined
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.#list.shift()
    if (chunk !== undefined) {
      this.#bytes -= chunk.byteLength
      if (this.#isPaused && this.#bytes === 0 && !this.#isOver) {
        this.#isPaused = false
        this.#source.resume()
      }
      return Promise.resolve({ done: false, value: chunk })
    }
    // A failure is reported after all received chunks are read.
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#isOver) return DONE
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#list.clear()
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
