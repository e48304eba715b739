import type { BodyQueue } from "./body-queue.ts"
import { decompressed } from "./decompression.ts"
import type { ResponseHead } from "./response-head.ts"

/** A response whose head has arrived. */
export interface HttpResponse {
  readonly status: number
  /** Whether the status reports success. */
  readonly ok: boolean
  /**
   * Returns the value of a header, or null if it is absent.
   * @param name the name in lowercase.
   */
  header(name: string): string | null
  /**
   * The headers, with names in lowercase. A header is only searched for when it is read, because a provider may send
   * thousands.
   */
  readonly headers: Pick<Headers, "get">
  /** The chunks of the body, which can only be read once. Ending the iteration early closes the connection. */
  readonly body: AsyncIterableIterator<Uint8Array>
  /**
   * Returns the body if it has already arrived completely. Small responses arrive together with their head.
   * @param max maximum bytes. A larger body is not taken.
   */
  takeWhole(max: number): Uint8Array | undefined
}

/** A response on one of the gateway's own connections. */
export class ReceivedResponse implements HttpResponse {
  readonly body: AsyncIterableIterator<Uint8Array>
  readonly #head: ResponseHead
  readonly #queue: BodyQueue

  /** @throws ProtocolError if the body cannot be read. */
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

  get headers(): Pick<Headers, "get"> {
    return this.#head
  }
}
