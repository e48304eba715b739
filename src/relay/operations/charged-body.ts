import { isCallerGone } from "../pipeline/end-reason.ts"
import { asGatewayError, type GatewayError } from "../../canon/errors.ts"
import type { UpstreamAnswer } from "./operation-candidate.ts"

/** An answer on its candidate: pieces that go out as they come, and a tail that waits for the charge. */
export type Pieces = AsyncGenerator<Uint8Array, Uint8Array | undefined>

/** The three ways in which an answer ends. Exactly one is called, once. */
export interface Endings {
  /** All of it came: charges it. @returns what is said after the tail. */
  whole(): Promise<Uint8Array | undefined>
  /**
   * The upstream broke off: settles what was delivered.
   * @returns what tells the caller; without it the connection is cut, so that no client takes what it
   * got for the whole.
   */
  broken(error: GatewayError): Promise<Uint8Array | undefined>
  /** The caller left: settles what was delivered. */
  left(): Promise<void>
}

/** The bytes of an upstream's answer, under its deadlines. */
export async function* piecesOf({ attempt, response }: UpstreamAnswer): AsyncGenerator<Uint8Array> {
  using _ = attempt
  try {
    for await (const piece of response.body) {
      attempt.heard()
      // Until the next read the upstream owes nothing: the caller may be slow.
      attempt.pause()
      if (piece.byteLength > 0) yield piece
      attempt.resume()
    }
  } catch (error) {
    throw attempt.explain(error)
  }
}

/** Pieces of which the last one is the tail. */
export async function* keepLastPiece(pieces: AsyncIterable<Uint8Array>): Pieces {
  let kept: Uint8Array | undefined
  for await (const piece of pieces) {
    if (kept) yield kept
    kept = piece
  }
  return kept
}

/**
 * A body whose tail goes out only when its charge is on disk.
 * @param memory what the request holds, until the body is over.
 */
export function chargedBody(
  pieces: Pieces,
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
          const { done, value } = await pieces.next()
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

/** Cuts the connection. Bun would print a reason, and whoever is to hear of it has heard. */
function cut(controller: ReadableStreamDefaultController<Uint8Array>): void {
  controller.error(undefined)
}
