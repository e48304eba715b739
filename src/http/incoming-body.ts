import { GatewayError } from "../canon/errors.ts"
import { nextTurn } from "../canon/next-turn.ts"

/** Minimum pace of a body. A body is too slow if two consecutive windows each receive fewer bytes. */
export interface Pace {
  readonly bytes: number
  /** Length of a window in milliseconds. */
  readonly window: number
}

/** 32 KB per second, the speed of a poor mobile connection. */
export const USUAL_PACE: Pace = { bytes: 160 * 1024, window: 5_000 }

/** Chunks below this size are followed by a pause (see `pauseAfter`). */
const SHORT_CHUNK_BYTES = 4 * 1024

/**
 * Waits for a turn of the event loop after a short chunk, so that the runtime joins the chunks that arrive in this
 * time. Reading 100,000 chunks of one byte separately would block the event loop.
 */
export function pauseAfter(chunkBytes: number): Promise<void> | undefined {
  return chunkBytes < SHORT_CHUNK_BYTES ? nextTurn() : undefined
}

/** The unread part of a body; undefined if it is complete, broken or cut off. */
export type RestOfBody =
  | Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">
  | undefined

/** Unread parts of bodies, by request. */
const rests = new WeakMap<Request, Promise<RestOfBody>>()
const successors = new WeakMap<Request, Request>()

/** Registers a request that was created from another request and has taken over its body. */
export function succeed(request: Request, successor: Request): Request {
  successors.set(request, successor)
  return successor
}

/** Returns the unread part of a request's body; undefined if it is known to be empty. */
export function restOf(request: Request): RestOfBody | Promise<RestOfBody> {
  let last = request
  for (let next = successors.get(last); next; next = successors.get(last)) last = next
  return rests.get(last) ?? (last.bodyUsed ? undefined : last.body?.getReader())
}

/**
 * Yields the chunks of a body as they arrive. Slow senders are cut off, because their reserved memory would be idle.
 * @throws GatewayError `overloaded` for a slow sender; an error of the runtime if the caller disconnects.
 */
export async function* incomingChunks(
  request: Request,
  pace: Pace,
): AsyncGenerator<Uint8Array, undefined> {
  if (request.body === null) return
  const reader = request.body.getReader()
  const rest = Promise.withResolvers<RestOfBody>()
  rests.set(request, rest.promise)
  const watch = new PaceWatch(pace, () => void reader.cancel().catch(() => {}))
  let isReading = true
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (watch.isTooSlow) throw tooSlow(pace)
      if (done) return
      const { byteLength } = value
      watch.received(byteLength)
      isReading = false
      yield value
      await pauseAfter(byteLength)
      isReading = true
    }
  } finally {
    watch[Symbol.dispose]()
    rest.resolve(isReading ? undefined : reader)
  }
}

/**
 * Checks the number of received bytes at the end of each window. A single slow window may result from a blocked event
 * loop, so it is tolerated.
 */
export class PaceWatch implements Disposable {
  isTooSlow = false
  readonly #timer: ReturnType<typeof setInterval>
  #bytes = 0
  #wasSlow = false

  constructor(pace: Pace, cut: () => void) {
    this.#timer = setInterval(() => {
      const isSlow = this.#bytes < pace.bytes
      this.isTooSlow = isSlow && this.#wasSlow
      this.#wasSlow = isSlow
      this.#bytes = 0
      if (this.isTooSlow) cut()
    }, pace.window)
  }

  received(bytes: number): void {
    this.#bytes += bytes
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

function tooSlow({ bytes, window }: Pace): GatewayError {
  const rate = Math.round(bytes / 1024 / (window / 1_000))
  return new GatewayError(
    "overloaded",
    `The body arrived at less than ${rate} KB a second, so the gateway stopped waiting for it. Send it again over a faster connection.`,
    // If the connection stayed open, the rest of the body would be read as another request.
    { headers: { connection: "close" } },
  )
}
