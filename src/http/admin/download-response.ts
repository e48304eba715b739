import type { Download } from "../../management/download.ts"

/** Promises for the ends of downloads, so that a running download counts as a request of its person. */
const ends = new WeakMap<Response, Promise<void>>()

/**
 * Returns a promise that resolves when a download was sent or cancelled, or when its connection was closed; undefined
 * for other responses. The runtime never reads the download of a HEAD request.
 */
export function endOf(response: unknown, request: Request): Promise<void> | undefined {
  const end = response instanceof Response ? ends.get(response) : undefined
  if (end === undefined || request.method === "HEAD" || request.signal.aborted) return undefined
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  request.signal.addEventListener("abort", () => resolve(), { once: true })
  return Promise.race([end, closed])
}

/** Streams a download, which may be long. */
export function downloadResponse({ name, contentType, chunks, pagePolicy }: Download): Response {
  const disposition = pagePolicy === undefined ? "attachment" : "inline"
  return streamed(chunks, {
    "content-type": contentType,
    "content-disposition": `${disposition}; filename="${name}"`,
    ...(pagePolicy !== undefined && { "content-security-policy": pagePolicy }),
  })
}

/** Streams a JSON document that may be long. */
export function documentResponse(chunks: AsyncIterable<string>): Response {
  return streamed(chunks, { "content-type": "application/json" })
}

type Chunks = Download["chunks"]

function streamed(chunks: Chunks, headers: Record<string, string>): Response {
  const { promise, resolve } = Promise.withResolvers<void>()
  const response = new Response(bytesOf(chunks, resolve), { headers })
  ends.set(response, promise)
  return response
}

function bytesOf(chunks: Chunks, onEnd: () => void): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next()
        if (done !== true) {
          return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value)
        }
        controller.close()
      } catch (error) {
        onEnd()
        throw error
      }
      onEnd()
    },
    async cancel() {
      onEnd()
      await iterator.return?.()
    },
  })
}
