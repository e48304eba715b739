/** Number of chunks at the start that are not joined, so that ordinary bodies are not copied. */
const UNJOINED_CHUNKS = 64
/** Chunks with fewer bytes are joined. */
const SHORT_CHUNK_BYTES = 4 * 1024
const JOINED_BYTES = 64 * 1024

/**
 * Chunks in order of arrival. Short chunks are joined, except for the first ones, because a sender may send millions of
 * single bytes. Each chunk takes about 100 bytes of memory and a separate step.
 */
export class ChunkList {
  #chunks: Uint8Array[] = []
  /** The buffer in which short chunks are joined. */
  #room: Uint8Array | undefined
  #used = 0

  get chunks(): readonly Uint8Array[] {
    return this.#chunks
  }

  push(chunk: Uint8Array): void {
    if (this.#chunks.length < UNJOINED_CHUNKS || chunk.byteLength >= SHORT_CHUNK_BYTES) {
      this.#chunks.push(chunk)
      this.#room = undefined
    } else this.#join(chunk)
  }

  shift(): Uint8Array | undefined {
    const first = this.#chunks.shift()
    if (this.#chunks.length === 0) this.#room = undefined
    return first
  }

  clear(): void {
    this.#chunks = []
    this.#room = undefined
  }

  #join(chunk: Uint8Array): void {
    const last = this.#used
    this.#used += chunk.byteLength
    if (this.#room === undefined || this.#used > JOINED_BYTES) {
      this.#room = new Uint8Array(JOINED_BYTES)
      this.#room.set(chunk)
      this.#used = chunk.byteLength
      this.#chunks.push(this.#room.subarray(0, this.#used))
      return
    }
    this.#room.set(chunk, last)
    this.#chunks[this.#chunks.length - 1] = this.#room.subarray(0, this.#used)
  }
}
