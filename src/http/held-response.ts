import type { Reservation } from "../limits/memory-budget.ts"
import { StallLimit } from "../limits/stall-limit.ts"
import type { EndpointResponse } from "../relay/request/call.ts"
import type { Connection } from "./server.ts"

/**
 * Size in bytes of the chunks in which a response is sent. A response that fits in one chunk is sent at once. Chunks
 * are small, because the runtime copies bytes that the client does not read.
 */
const CHUNK_BYTES = 64 * 1024

/**
 * Builds the response to a call. The memory of a small body is released immediately, and the memory of a stream when
 * the stream ends. A large body is sent as fast as the client reads it, and holds its memory until then, unless the
 * client stops reading. A stream restores the connection's idle timeout itself.
 */
export function heldResponse(
  { headers, body }: EndpointResponse,
  memory: Reservation | undefined,
  connection: Pick<Connection, "waitShort">,
): Response {
  if (body instanceof ReadableStream) return new Response(body, { headers })
  if (body.length > CHUNK_BYTES)
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
  let stall: StallLimit | undefined
  const end = (): void => {
    stall?.[Symbol.dispose]()
    memory?.[Symbol.dispose]()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (memory === undefined) return
        stall = new StallLimit(memory, () => {
          controller.error(undefined)
          end()
        })
      },
      pull(controller) {
        stall?.restart()
        controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES))
        at += CHUNK_BYTES
        if (at < bytes.length) return
        end()
        connection.waitShort(true)
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
