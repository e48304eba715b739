import type { BodyQueue } from "./body-queue.ts"
import { decompressed } from "./decompression.ts"
import type { ResponseHead } from "./response-head.ts"

/** A response whose head has arrived. */
export interface HttpAnswer {
  readonly status: number
  /** Whether the status is a success. */
  readonly ok: boolean
  /** Returns a header's value, or null if it is absent. @param name in lowercase. */
  header(name: string): string | null
  /** All headers. Built on demand. */
  readonly headers: Headers
  /** The body in chunks, readable once. Leaving the iteration early closes the connection. */
  readonly body: AsyncIterableIterator<Uint8Array>
  /**
   * Returns the body if it has arrived completely: small responses arrive with their head.
   * @param max bytes; a larger body is left to be read.
   */
  takeWhole(max: number): Uint8Array | undefined
}

/** A response on one of the gateway's own connections. */
export class ReceivedAnswer implements HttpAnswer {
  readonly body: AsyncIterableIterator<Uint8Array>
  readonly #head: ResponseHead
  readonly #queue: BodyQueue

  /** @throws ProtocolError if its body cannot be read. */
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
