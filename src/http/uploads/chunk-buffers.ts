import { detachBuffer } from "../../canon/detach-buffer.ts"

/**
 * The chunks of a body whose parser returns views of them in order. The memory of a chunk is released as soon as no
 * view of it is in use. The garbage collector would accumulate tens of megabytes of an upload, because it does not
 * account for their size.
 */
export class ChunkBuffers {
  readonly #chunks: { readonly chunk: Uint8Array; readonly start: number }[] = []
  #total = 0
  /** Number of parts whose content is currently being read. */
  #readers = 0

  /** Adds the next chunk of the body. */
  add(chunk: Uint8Array): void {
    this.#chunks.push({ chunk, start: this.#total })
    this.#total += chunk.byteLength
  }

  /** Returns the offset of a view in the body; undefined for a copy. */
  positionOf(view: Uint8Array): number | undefined {
    const found = this.#chunks.find(({ chunk }) => chunk.buffer === view.buffer)
    return found && found.start + view.byteOffset - found.chunk.byteOffset
  }

  /**
   * Yields the views of a part's content. The reader finishes each view before it requests the next, so earlier views
   * are no longer in use unless another part is being read.
   */
  async *views(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#readers++
    try {
      for await (const view of content) {
        if (this.#readers === 1) this.#freeBefore(view)
        yield view
      }
    } finally {
      this.#readers--
    }
  }

  #freeBefore(view: Uint8Array): void {
    const at = this.#chunks.findIndex(({ chunk }) => chunk.buffer === view.buffer)
    for (const { chunk } of this.#chunks.splice(0, Math.max(0, at))) detachBuffer(chunk)
  }
}
