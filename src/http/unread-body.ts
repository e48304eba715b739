import { detachBuffer } from "../canon/detach-buffer.ts"
import { PaceWatch, pauseAfter, type RestOfBody, restOf, USUAL_PACE } from "./incoming-body.ts"

/** Maximum time that a response waits for the rest of its request, so that the connection can be reused. */
const REST_WAIT_MS = 100
/** Maximum milliseconds without data. Afterwards, the sender has probably stopped or waits for the response. */
const MAX_SILENCE_MS = 1_000
/**
 * Maximum bytes that are dropped, equal to the server's limit for any body. Many clients only read the response after
 * they have sent their whole body.
 */
const MAX_DROPPED_BYTES = 1024 * 1024 * 1024
/** Maximum bytes that are dropped of a body without a length, which may be endless. */
const MAX_DROPPED_ENDLESS_BYTES = 64 * 1024 * 1024
const WITHOUT_BODY = new Set(["GET", "HEAD"])

/**
 * Sends a response before the request's body has been read, for example after an early error. The caller gets the
 * response after at most `REST_WAIT_MS`, while the rest of the body is read and dropped. Closing the connection earlier
 * would lose the response. Callers that send the rest too slowly are cut off.
 */
export function afterBody(request: Request, response: Response): Response | Promise<Response> {
  const rest = restOf(request)
  if (rest !== undefined) {
    const isEndless = !request.headers.has("content-length")
    const maxBytes = isEndless ? MAX_DROPPED_ENDLESS_BYTES : MAX_DROPPED_BYTES
    return whileDropping(response, dropped(rest, maxBytes))
  }
  // The runtime does not expose the body of requests with these methods, and drops it without a limit.
  if (WITHOUT_BODY.has(request.method) && announcesBody(request.headers)) return closing(response)
  return response
}

/** Wraps a handler so that its responses pass through `afterBody`. */
export function droppingRest<Others extends readonly unknown[]>(
  handler: (request: Request, ...others: Others) => Response | Promise<Response>,
): (request: Request, ...others: Others) => Promise<Response> {
  return async (request, ...others) => afterBody(request, await handler(request, ...others))
}

function announcesBody(headers: Headers): boolean {
  return (headers.get("content-length") ?? "0") !== "0" || headers.has("transfer-encoding")
}

/**
 * Waits briefly until the rest of the request is dropped.
 * @param dropping resolves when the rest was received or abandoned, with whether all of it was received.
 */
async function whileDropping(response: Response, dropping: Promise<boolean>): Promise<Response> {
  const wait = Promise.withResolvers<undefined>()
  const timer = setTimeout(wait.resolve, REST_WAIT_MS)
  const isWhole = await Promise.race([dropping, wait.promise])
  clearTimeout(timer)
  if (isWhole === true) return response
  if (isWhole === false || response.body === null) return closing(response)
  const { status } = response
  const headers = new Headers(response.headers)
  headers.delete("content-length")
  return closing(new Response(lingering(response.body, dropping), { status, headers }))
}

/**
 * Delays the end of a response body until the rest of the request is dropped, because the connection is closed at the
 * end.
 */
function lingering(
  body: ReadableStream<Uint8Array>,
  dropping: Promise<boolean>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        await dropping
        controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function closing(response: Response): Response {
  response.headers.set("connection", "close")
  return response
}

/** Drops the rest of a body. @returns whether all of it arrived. */
async function dropped(rest: RestOfBody | Promise<RestOfBody>, maxBytes: number): Promise<boolean> {
  const reader = await rest
  // The body was read to its end, or is broken.
  if (reader === undefined) return true
  let isCut = false
  const cut = (): void => {
    isCut = true
    void reader.cancel().catch(() => {})
  }
  using watch = new PaceWatch(USUAL_PACE, cut)
  const silence = setTimeout(cut, MAX_SILENCE_MS)
  try {
    for (let bytes = 0; bytes < maxBytes;) {
      const { done, value } = await reader.read()
      if (done) return !isCut
      silence.refresh()
      const { byteLength } = value
      bytes += byteLength
      watch.received(byteLength)
      detachBuffer(value)
      await pauseAfter(byteLength)
    }
    cut()
    return false
  } catch {
    return false
  } finally {
    clearTimeout(silence)
  }
}
