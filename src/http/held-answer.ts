import type { Reservation } from "../limits/memory-budget.ts"
import type { Answer } from "../relay/request/call.ts"
import type { Connection } from "./server.ts"

/** Approximate maximum bytes of a response sent in one chunk. */
const MAX_SINGLE_CHUNK_BYTES = 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/**
 * Builds the response to a call. A complete body releases its memory when it has been handed over, and a stream when it
 * ends. A large body is sent as fast as the client reads it, and holds its memory until then. A
 * stream restores the connection's idle timeout itself.
 */
export function heldAnswer(
  { headers, body }: Answer,
  memory: Reservation | undefined,
  connection: Pick<Connection, "waitShort">,
): Response {
  if (body instanceof ReadableStream) return new Response(body, { headers })
  if (body.length > MAX_SINGLE_CHUNK_BYTES)
    return new Response(inChunks(body, memory, connection), { headers })
  memory?.[Symbol.dispose]()
  connection.waitShort()
  return new Response(body, { headers })
}

function inChunks(
  body: string | Uint8Array<ArrayBuffer>,
  memory: Reservation | undefined,
  connection: Pick<Connection, "waitShort">,
): ReadableStream<Uint8Array> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES))
        at += CHUNK_BYTES
        if (at < bytes.length) return
        memory?.[Symbol.dispose]()
        connection.waitShort(true)
        controller.close()
      },
      cancel: () => memory?.[Symbol.dispose](),
    },
    { highWaterMark: 0 },
  )
}
