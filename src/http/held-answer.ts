import type { Reservation } from "../limits/memory-budget.ts"
import type { Answer } from "../relay/request/call.ts"

/** Whole answers up to here are handed over in one chunk. Bytes, roughly. */
const LARGE_ANSWER = 1024 * 1024
const CHUNK = 256 * 1024

/**
 * The response to a call. What it holds of the memory goes back when a whole answer has been handed over; a
 * stream gives it back itself, at its end. A large answer goes out as fast as it is read, and counts until then.
 */
export function heldAnswer({ headers, body }: Answer, memory: Reservation | undefined): Response {
  if (body instanceof ReadableStream) return new Response(body, { headers })
  if (body.length > LARGE_ANSWER) return new Response(inChunks(body, memory), { headers })
  memory?.[Symbol.dispose]()
  return new Response(body, { headers })
}

function inChunks(
  body: string | Uint8Array<ArrayBuffer>,
  memory: Reservation | undefined,
): ReadableStream<Uint8Array> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + CHUNK))
        at += CHUNK
        if (at < bytes.length) return
        memory?.[Symbol.dispose]()
        controller.close()
      },
      cancel: () => memory?.[Symbol.dispose](),
    },
    { highWaterMark: 0 },
  )
}
