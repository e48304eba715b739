import { GatewayError } from "../../canon/errors.ts"
import { incomingChunks, USUAL_PACE } from "../incoming-body.ts"
import type { Spool } from "../uploads/spool.ts"
import type { SpooledBytes } from "../uploads/spooled-bytes.ts"
import { encodingOf, rejectEncoding, unpackedChunks } from "../unpacked-body.ts"
import { isForm, chunksOf } from "./fingerprint.ts"
import type { RepeatableRequest } from "./repeatable-request.ts"

/** Maximum bytes of a body that is kept in memory. */
const MAX_MEMORY_BYTES = 1024 * 1024

/** Receives the complete body. Long bodies are stored on disk. */
export async function keepBody(spool: Spool, repeatable: RepeatableRequest): Promise<SpooledBytes> {
  const { request, bodyLimit, memory, pace = USUAL_PACE } = repeatable
  const check = (size: number): void => {
    if (size <= bodyLimit) return
    const megabytes = (bodyLimit / 1024 / 1024).toFixed(bodyLimit < 1024 * 1024 ? 3 : 0)
    throw new GatewayError("body_too_large", `The body is larger than ${megabytes} MB.`)
  }
  check(Number(request.headers.get("content-length") ?? 0))
  const encoding = packingOf(request.headers)
  const incoming = incomingChunks(request, pace)
  const chunks = encoding === undefined ? incoming : unpackedChunks(incoming, encoding, memory)
  try {
    await using draft = spool.create(memory)
    for await (const chunk of chunks) {
      check(draft.size + chunk.byteLength)
      await draft.add(chunk)
    }
    return draft.finish()
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError("invalid_value", "The body ended before it was complete.", {
      cause: error,
    })
  }
}

/** Returns the compression of a body. Forms must not be compressed. @throws GatewayError `unsupported_media_type` */
function packingOf(headers: Headers): string | undefined {
  if (!isForm(headers)) return encodingOf(headers)
  rejectEncoding(headers)
  return undefined
}

/** Rebuilds the received request without compression. It is aborted when no caller waits for its response. */
export async function requestAgain(
  request: Request,
  bytes: SpooledBytes,
  signal: AbortSignal,
): Promise<Request> {
  const { url, method } = request
  const headers = new Headers(request.headers)
  if (headers.has("content-encoding")) {
    headers.delete("content-encoding")
    headers.set("content-length", String(bytes.size))
  }
  if (bytes.size <= MAX_MEMORY_BYTES) {
    const body = bytes.size === 0 ? null : await bytes.read(0, bytes.size)
    return new Request(url, { method, headers, body, signal })
  }
  // Without a length, the endpoint forwards no file before the form is complete. Early forwarding has no advantage
  // here, and wastes a call if the file is not the last part.
  if (isForm(headers)) headers.delete("content-length")
  const chunks = chunksOf(bytes)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Request(url, { method, headers, body, signal })
}
