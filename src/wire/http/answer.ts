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
  /** The whole body. */
  text(): Promise<string>
}

const DECODER = new TextDecoder()

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

  async text(): Promise<string> {
    const pieces: Uint8Array[] = []
    for await (const piece of this.body) pieces.push(piece)
    const [first = new Uint8Array()] = pieces
    return DECODER.decode(pieces.length <= 1 ? first : Buffer.concat(pieces))
  }
}

/** An answer that the runtime's own client has received. */
export class FetchedAnswer implements HttpAnswer {
  readonly #response: Response

  constructor(response: Response) {
    this.#response = response
  }

  get status(): number {
    return this.#response.status
  }

  get ok(): boolean {
    return this.#response.ok
  }

  get headers(): Headers {
    return this.#response.headers
  }

  get body(): AsyncIterableIterator<Uint8Array> {
    return piecesOf(this.#response.body)
  }

  header(name: string): string | null {
    return this.#response.headers.get(name)
  }

  text(): Promise<string> {
    return this.#response.text()
  }
}

async function* piecesOf(
  stream: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, undefined> {
  if (stream) yield* stream
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
