import { free } from "../../wire/free-piece.ts"

/**
 * The pieces of a body on their way through a parser that hands out views of them, in their order. Their
 * memory is given back as soon as nobody looks at it any more: the collector would let tens of megabytes
 * of an upload pile up, since it does not see how large its garbage is.
 */
export class PassingPieces {
  readonly #pieces: { readonly piece: Uint8Array; readonly start: number }[] = []
  #total = 0
  /** Contents that are being taken just now. */
  #takers = 0

  /** The next piece of the body. */
  came(piece: Uint8Array): void {
    this.#pieces.push({ piece, start: this.#total })
    this.#total += piece.byteLength
  }

  /** Where in the body a view begins; undefined of a copy. */
  positionOf(view: Uint8Array): number | undefined {
    const found = this.#pieces.find(({ piece }) => piece.buffer === view.buffer)
    return found && found.start + view.byteOffset - found.piece.byteOffset
  }

  /**
   * The views of a content, each of which is taken before the next is asked for. By then every view
   * before it has been taken too, unless those of another content are still looked at.
   */
  async *taken(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#takers++
    try {
      for await (const view of content) {
        if (this.#takers === 1) this.#freeBefore(view)
        yield view
      }
    } finally {
      this.#takers--
    }
  }

  #freeBefore(view: Uint8Array): void {
    const at = this.#pieces.findIndex(({ piece }) => piece.buffer === view.buffer)
    for (const { piece } of this.#pieces.splice(0, Math.max(0, at))) free(piece)
  }
}
