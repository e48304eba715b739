import type { BodyQueue } from "./body-queue.ts"
import { decompressed } from "./decompression.ts"
import type { ResponseHead } from "./response-head.ts"

/** A response whose head has arrived. */
export interface HttpAnswer {
  readonly status: number
  /** Whether the status is a success. */
  readonly ok: boolean
  /** A header's value; null when it is absent. @param name in lowercase. */
  header(name: string): string | null
  /** All headers. Built on demand. */
  readonly headers: Headers
  /** The body in chunks, to be read once. Leaving it before its end closes the connection. */
  readonly body: AsyncIterableIterator<Uint8Array>
  /**
   * The body, if all of it has arrived already: small responses arrive with their head.
   * @param max bytes; a larger one is left to be read.
   */
  takeWhole(max: number): Uint8Array | undefined
}

/** A response on a connection of ours. */
export class ReceivedAnswer implements HttpAnswer {
  readonly body: AsyncIterableIterator<Uint8Array>
  readonly #head: ResponseHead
  readonly #queue: BodyQueue

  /** @throws ProtocolError when its body cannot be read. */
  constructor(head: ResponseHead, queue: BodyQueue) {
    this.#head = head
    this.#queue = queue
    this.body = decompressed(queue, head.get("content-encoding"))
  }

  takeWhole(max: number): Uint8Array | undefined {
    return this.body === this.#queue ? this.#queue.takeWhole(max) : undefined
  }

  get status(): number {
    return this.#head.status
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  header(name: string): string | null {
    return this.#head.get(name)
  }

  get headers(): Headers {
    return this.#head.headers()
  }
}
