import { isCallerGone } from "../pipeline/end-reason.ts"
import { asGatewayError, errorEnvelope, type GatewayError } from "../../canon/errors.ts"
import { encodeText, formatEvent } from "../../wire/sse.ts"
import type { UpstreamAnswer } from "./operation-candidate.ts"

/** An answer on its way: chunks that go out as they come, and a tail that waits for the charge. */
export type Chunks = AsyncGenerator<Uint8Array, Uint8Array | undefined>

/** Of an answer that is a stream of events. */
export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
} as const

/** The three ways in which an answer ends. Exactly one is called, once. */
export interface Endings {
  /** All of it came: charges it. @returns what is said after the tail. */
  whole(): Promise<Uint8Array | undefined>
  /**
   * The upstream broke off: settles what was delivered.
   * @returns the caller's error event; without it the connection is cut, so that no client takes what it
   * got for the whole.
   */
  broken(error: GatewayError): Promise<Uint8Array | undefined>
  /** The caller left: settles what was delivered. */
  left(): Promise<void>
}

/** The bytes of an upstream's answer, under its deadlines. */
export async function* chunksOf({ attempt, response }: UpstreamAnswer): AsyncGenerator<Uint8Array> {
  using _ = attempt
  try {
    for await (const chunk of response.body) {
      attempt.received()
      // Until the next read the upstream owes nothing: the caller may be slow.
      attempt.pause()
      if (chunk.byteLength > 0) yield chunk
      attempt.resume()
    }
  } catch (error) {
    throw attempt.explain(error)
  }
}

/** Chunks of which the last one is the tail. */
export async function* keepLastChunk(chunks: AsyncIterable<Uint8Array>): Chunks {
  let kept: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (kept) yield kept
    kept = chunk
  }
  return kept
}

/**
 * Waits for the first chunks, so that a failure before anything can be passed on is one of this attempt alone.
 * @param count how many of them.
 */
export async function awaitFirst(chunks: Chunks, count = 1): Promise<Chunks> {
  const first = [await chunks.next()]
  while (first.length < count && !first.at(-1)?.done) first.push(await chunks.next())
  return resumed(first, chunks)
}

async function* resumed(
  first: readonly IteratorResult<Uint8Array, Uint8Array | undefined>[],
  rest: Chunks,
): Chunks {
  for (const { done, value } of first) {
    if (done) return value
    yield value
  }
  return yield* rest
}

/** An error as the last event of a stream. */
export function errorEvent(error: GatewayError, requestId: string): Uint8Array {
  return encodeText(formatEvent({ data: JSON.stringify(errorEnvelope(error, requestId)) }))
}

/**
 * A body whose tail goes out only when its charge is on disk.
 * @param memory what the request holds, until the body is over.
 */
export function chargedBody(
  chunks: Chunks,
  endings: Endings,
  memory?: Disposable,
): ReadableStream<Uint8Array> {
  let isOver = false
  const fail = async (
    error: GatewayError,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> => {
    if (isOver) return
    isOver = true
    memory?.[Symbol.dispose]()
    if (isCallerGone(error)) {
      await endings.left()
      return cut(controller)
    }
    const words = await endings.broken(error)
    if (!words) return cut(controller)
    controller.enqueue(words)
    controller.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (isOver) return
          if (!done) return controller.enqueue(value)
          isOver = true
          memory?.[Symbol.dispose]()
          const more = await endings.whole()
          for (const last of [value, more]) if (last) controller.enqueue(last)
          controller.close()
        } catch (error) {
          if (isOver) return cut(controller)
          await fail(asGatewayError(error), controller)
        }
      },
      async cancel() {
        if (isOver) return
        isOver = true
        memory?.[Symbol.dispose]()
        await endings.left()
      },
    },
    // Nothing is read from the upstream that the caller does not wait for.
    { highWaterMark: 0 },
  )
}

/** Cuts the connection. Bun would print a reason, and it has been reported by now. */
function cut(controller: ReadableStreamDefaultController<Uint8Array>): void {
  controller.error(undefined)
}
