import { detachBuffer } from "../../canon/detach-buffer.ts"

/**
 * The chunks of a body on their way through a parser that hands out views of them, in their order. Their
 * memory is given back as soon as no one looks at it any more: the collector would let tens of megabytes
 * of an upload pile up, since it does not see how large its garbage is.
 */
export class ChunkBuffers {
  readonly #chunks: { readonly chunk: Uint8Array; readonly start: number }[] = []
  #total = 0
  /** Contents that are being read just now. */
  #readers = 0

  /** The next chunk of the body. */
  add(chunk: Uint8Array): void {
    this.#chunks.push({ chunk, start: this.#total })
    this.#total += chunk.byteLength
  }

  /** Where in the body a view begins; undefined of a copy. */
  positionOf(view: Uint8Array): number | undefined {
    const found = this.#chunks.find(({ chunk }) => chunk.buffer === view.buffer)
    return found && found.start + view.byteOffset - found.chunk.byteOffset
  }

  /**
   * The views of a content, each of which is read before the next is asked for. By then every view
   * before it has been read too, unless those of another content are still looked at.
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
