import type { Download } from "../../management/download.ts"

/** Streams a download, which may be long. */
export function downloadAnswer({ name, contentType, chunks, pagePolicy }: Download): Response {
  const disposition = pagePolicy === undefined ? "attachment" : "inline"
  return new Response(bytesOf(chunks), {
    headers: {
      "content-type": contentType,
      "content-disposition": `${disposition}; filename="${name}"`,
      ...(pagePolicy !== undefined && { "content-security-policy": pagePolicy }),
    },
  })
}

function bytesOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
