import type { ResponseHead } from "./response-head.ts"

/** The answer to a request: its head is here, its body comes. */
export interface HttpAnswer {
  readonly status: number
  /** Whether the status says that it is what was asked for. */
  readonly ok: boolean
  /** A header's value; null when it is absent. @param name in small letters. */
  header(name: string): string | null
  /** All headers. Made when asked for. */
  readonly headers: Headers
  /** The body in pieces, to be read once. To leave it before its end ends the connection. */
  readonly body: AsyncIterableIterator<Uint8Array>
}

/** How vendors may compress although they were asked not to, and what the runtime calls that. */
const COMPRESSIONS: Readonly<Record<string, Bun.CompressionFormat>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
}

/** An answer that comes on a connection of ours. */
export class ReceivedAnswer implements HttpAnswer {
  readonly body: AsyncIterableIterator<Uint8Array>
  readonly #head: ResponseHead

  constructor(head: ResponseHead, body: AsyncIterableIterator<Uint8Array>) {
    this.#head = head
    const format = COMPRESSIONS[head.get("content-encoding")?.toLowerCase() ?? ""]
    this.body = format === undefined ? body : decompressed(body, format)
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

/** To leave it leaves the connection, also before its first piece. */
function decompressed(
  body: AsyncIterableIterator<Uint8Array>,
  format: Bun.CompressionFormat,
): AsyncIterableIterator<Uint8Array> {
  const opened = openedPieces(body, format)
  return {
    next: () => opened.next(),
    async return() {
      await body.return?.()
      return opened.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* openedPieces(
  body: AsyncIterableIterator<Uint8Array>,
  format: Bun.CompressionFormat,
): AsyncGenerator<Uint8Array, undefined> {
  const first = await body.next()
  // Of nothing there is nothing to open.
  if (first.done) return
  const compressed = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(first.value)
    },
    async pull(controller) {
      const { done, value } = await body.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await body.return?.()
    },
  })
  const opener: ReadableWritablePair<Uint8Array, unknown> = new DecompressionStream(format)
  yield* compressed.pipeThrough(opener)
}
