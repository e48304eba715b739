import { ChunkList } from "../chunk-list.ts"

const DONE = Promise.resolve({ done: true as const, value: undefined })

/** What a queue needs from the connection that fills it. */
export interface Source {
  /** The reader is behind: send nothing more until `resume`. */
  pause(): void
  resume(): void
  /** The rest will not be read. */
  leave(): void
}

interface Waiting {
  resolve(result: IteratorResult<Uint8Array, undefined>): void
  reject(error: unknown): void
}

/** Bytes that may wait for their reader before the connection is paused. */
const MAX_WAITING = 64 * 1024

/** Chunks of a body between a connection, which pushes, and its one reader, which pulls. */
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
    if (this.#bytes <= MAX_WAITING) return
    this.#isPaused = true
    this.#source.pause()
  }

  /** @param failure why the body broke off; absent at a proper end. */
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
   * All of the body, where its end has arrived and it is one chunk; then nothing is left to read.
   * @param max bytes; a larger one is left.
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
    // What has arrived is read before a failure after it is reported.
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
