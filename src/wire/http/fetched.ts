import { decompressed } from "./decompression.ts"
import type { HttpResponse } from "./response.ts"
import { connectionErrorOf } from "./connection-error.ts"
import type { HttpRequest } from "./request.ts"
import type { Sending } from "./sending.ts"

/** A request that is sent by the runtime's own client. */
export class FetchedSending implements Sending {
  readonly response: Promise<HttpResponse>
  /** The runtime does not report when it is connected, so only the deadline for the first byte applies. */
  readonly isConnected = true
  readonly #controller = new AbortController()

  constructor({ url, headers, body }: HttpRequest) {
    const { signal } = this.#controller
    const fetched = fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
      // Decompression by the runtime is disabled, because it would decompress the entire body at once.
      decompress: false,
    })
    this.response = fetched.then(
      (response) => new FetchedResponse(response),
      (error) => Promise.reject(connectionErrorOf(error, { isProxied: true })),
    )
  }

  abort(): void {
    this.#controller.abort()
  }
}

/** A response received by the runtime's own client. */
export class FetchedResponse implements HttpResponse {
  readonly body: AsyncIterableIterator<Uint8Array>
  readonly #response: Response

  /** @throws ProtocolError if the body cannot be read. */
  constructor(response: Response) {
    this.#response = response
    this.body = decompressed(chunksOf(response.body), response.headers.get("content-encoding"))
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

  header(name: string): string | null {
    return this.#response.headers.get(name)
  }

  /** Returns undefined, because the runtime does not report how much of the body has arrived. */
  takeWhole(): undefined {
    return undefined
  }
}

async function* chunksOf(
  stream: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, undefined> {
  if (stream) yield* stream
}

/** Statuses of responses without a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Sends a request whose response is decompressed in small steps while it is read. The runtime would decompress it at
 * once, so the reader's limit would apply too late.
 * @throws ProtocolError if the response has an encoding that was not requested; errors of the runtime.
 */
export async function fetchInSteps(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, decompress: false })
  const { status, body } = response
  const encoding = response.headers.get("content-encoding")
  if (encoding === null || body === null || WITHOUT_BODY.has(status)) return response
  const headers = new Headers(response.headers)
  for (const name of ["content-encoding", "content-length"]) headers.delete(name)
  return new Response(streamOf(decompressed(chunksOf(body), encoding)), { status, headers })
}

function streamOf(chunks: AsyncIterableIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return?.()
    },
  })
}
