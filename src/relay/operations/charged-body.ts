import { asChargedError, errorEnvelope, type GatewayError } from "../../canon/errors.ts"
import { errorWithoutProviders } from "../../canon/provider-names.ts"
import { nextTurn, ownTurn } from "../../canon/next-turn.ts"
import { unusable } from "../../canon/operation-response.ts"
import type { SentBytes } from "../../dialects/shared/stream.ts"
import type { ReadEvent } from "../../dialects/shared/read-event.ts"
import { encodeText, formatEvent, SseParser } from "../../wire/sse.ts"
import {
  asCallFailure,
  CallEnded,
  type CallFailure,
  callerError,
  isCallerGone,
} from "../lifetime/call-failure.ts"
import type { Attempt, Candidate } from "../upstream/attempt.ts"
import { HANG_UP_MS, MAX_PASS_MS, UpstreamFrames } from "../upstream/upstream-frames.ts"
import type { UpstreamResponse } from "./operation-candidate.ts"

/**
 * How a forwarded response ended: complete (`whole`), broken off by the upstream (`broken`), or by the caller's
 * disconnect (`left`).
 */
export type Ending = "whole" | "broken" | "left"

/** A response body in progress. The chunks are sent as they arrive, and the returned tail waits for the charge. */
export type Chunks = AsyncGenerator<Uint8Array, SentBytes | undefined>

/** Headers of a response that is a stream of events. */
export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
} as const

/** Bytes of a long event that are sent at once: whole samples of audio, and whole groups of three bytes for base64. */
const SENT_BYTES = 192 * 1024

/** The result of ending a body. */
export interface BodyEnd {
  /** Whether anything was charged, so that an error does not state the opposite. */
  readonly isCharged: boolean
  /** Bytes that the caller receives after the tail of a complete response. */
  readonly last?: SentBytes | undefined
}

/** A response that is passed on before it is charged. */
export interface UnpaidResponse {
  readonly attempt: Pick<Attempt<Candidate>, "fail">
  readonly chunks: Chunks
  readonly call: {
    readonly id: string
    readonly memory: Disposable
    readonly hidesCosts?: boolean
    readonly onStreamEnd?: (isLarge: boolean) => void
  }
  /**
   * Whether the caller can receive an error as an event. Otherwise, the connection is cut, so that no client treats a
   * partial response as complete.
   */
  readonly hasErrorEvents: boolean
  /** Settles the delivered content, or releases the hold. It is called once. */
  readonly end: (ending: Ending) => Promise<BodyEnd>
}

/** Yields the bytes of an upstream response, under the deadlines of its call. */
export async function* chunksOf({
  attempt,
  response,
}: UpstreamResponse): AsyncGenerator<Uint8Array> {
  using _ = attempt
  try {
    for await (const chunk of response.body) {
      attempt.deadlines.received()
      // The upstream's deadline is paused until the next read, because the caller may be slow.
      attempt.deadlines.pause()
      if (chunk.byteLength > 0) yield chunk
      attempt.deadlines.resume()
    }
  } catch (error) {
    throw attempt.explain(error)
  }
}

/** Reads the events of a streamed response. */
interface EventReader {
  /** Maximum characters of an event; the usual limit if absent. */
  readonly maxEventLength?: number
  /** Whether the last event has been read. */
  readonly isOver: boolean
  /**
   * Returns the bytes for the caller, or the pieces of a long text; undefined if the event contains nothing for the
   * caller.
   * @throws GatewayError
   */
  read(event: ReadEvent): SentBytes | undefined
}

/**
 * Yields the bytes that a reader takes from the events of a response. Like the events of a chat, they are checked for
 * size and complexity before they are parsed, and are read in several turns of the event loop. Events before a failure
 * are still yielded. Events after the last one are discarded.
 * @throws GatewayError if the response ends before its last event.
 */
export async function* eventsOf(
  { attempt, response }: UpstreamResponse,
  reader: EventReader,
): Chunks {
  const { memory, deadlines } = attempt
  const { maxEventLength: longest } = reader
  const parser = new SseParser({ memory, ...(longest !== undefined && { longest }) })
  const frames = new UpstreamFrames(attempt, response.body, parser)
  try {
    for (let isEnded = false; !isEnded && !reader.isOver;) {
      const { frames: received } = await frames.next(false)
      isEnded = received === undefined
      // The upstream's deadline is paused until the next read, because the caller may be slow.
      deadlines.received()
      deadlines.pause()
      yield* readTogether(received ?? (await frames.end()), frames, reader)
    }
  } catch (failure) {
    if (Object.keys(frames.usageMembers).length > 0) attempt.usageMembers = frames.usageMembers
    throw failure
  } finally {
    if (reader.isOver) void discardRest(attempt, frames)
    else attempt[Symbol.dispose]()
  }
  if (!reader.isOver) throw unusable("it ended before its last event")
  return undefined
}

/** Yields the bytes of events that arrived together. If this takes too long, the remaining events are delayed. */
async function* readTogether(
  events: readonly ReadEvent[],
  frames: UpstreamFrames,
  reader: EventReader,
): AsyncGenerator<Uint8Array> {
  const startedAt = performance.now()
  const pieces: Uint8Array[] = []
  let failure: { readonly cause: unknown } | undefined
  try {
    for (const [index, event] of events.entries()) {
      if (reader.isOver) break
      if (index > 0 && performance.now() - startedAt > MAX_PASS_MS) {
        frames.delay(events.slice(index))
        break
      }
      frames.weigh(event)
      const read = reader.read(event)
      if (read === undefined) continue
      frames.onEvents()
      // Only the first event can be long.
      if (event.content !== undefined) yield* slicesOf(read)
      else if (read instanceof Uint8Array) pieces.push(read)
      else pieces.push(encodeText([...read].join("")))
    }
    frames.rejectSilence()
  } catch (cause) {
    failure = { cause }
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
  if (failure !== undefined) throw failure.cause
}

/** Yields the bytes of a long event in slices, each in a turn of the event loop. */
async function* slicesOf(read: SentBytes): AsyncGenerator<Uint8Array> {
  if (read instanceof Uint8Array) {
    for (let start = 0; start < read.length; start += SENT_BYTES) {
      if (start > 0) await ownTurn()
      yield read.subarray(start, start + SENT_BYTES)
    }
    return
  }
  let text = ""
  for (const piece of read) {
    text += piece
    if (text.length < SENT_BYTES) continue
    yield encodeText(text)
    text = ""
    await ownTurn()
  }
  if (text !== "") yield encodeText(text)
}

/** Reads the end of a response after its last event, so that the connection can be reused. */
async function discardRest(
  attempt: UpstreamResponse["attempt"],
  frames: UpstreamFrames,
): Promise<void> {
  attempt.deadlines.awaitEnd(performance.now() + HANG_UP_MS)
  try {
    await frames.discard()
  } catch {
    // A failure has no effect, because the response is already complete.
  } finally {
    attempt[Symbol.dispose]()
  }
}

/** Yields all chunks except the last, which is returned as the tail. */
export async function* keepLastChunk(chunks: AsyncIterable<Uint8Array>): Chunks {
  let kept: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (kept) yield kept
    kept = chunk
  }
  return kept
}

/**
 * Waits for the first chunks, so that a failure before anything is passed on only fails this attempt.
 * @param count number of chunks to wait for.
 */
export async function awaitFirst(chunks: Chunks, count = 1): Promise<Chunks> {
  const first = [await chunks.next()]
  while (first.length < count && !first.at(-1)?.done) first.push(await chunks.next())
  return resumed(first, chunks)
}

async function* resumed(
  first: readonly IteratorResult<Uint8Array, SentBytes | undefined>[],
  rest: Chunks,
): Chunks {
  for (const { done, value } of first) {
    if (done) return value
    yield value
  }
  return yield* rest
}

/** Returns a body whose tail is sent only after the charge is on disk. */
export function chargedBody(response: UnpaidResponse): ReadableStream<Uint8Array> {
  // The upstream is read only when the caller waits for data.
  return new ReadableStream(new ChargedBody(response), { highWaterMark: 0 })
}

type Controller = ReadableStreamDefaultController<Uint8Array>

/** The chunks of a response, produced as fast as the caller reads. */
class ChargedBody {
  readonly #response: UnpaidResponse
  #isOver = false

  constructor(response: UnpaidResponse) {
    this.#response = response
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const { done, value } = await this.#response.chunks.next()
      // The caller has disconnected in the meantime.
      if (this.#isOver) return
      if (!done) return controller.enqueue(value)
      this.#close()
      const { last } = await this.#response.end("whole")
      for (const sent of [value, last]) {
        if (sent) for await (const slice of slicesOf(sent)) controller.enqueue(slice)
      }
      this.#response.call.onStreamEnd?.(true)
      controller.close()
    } catch (thrown) {
      // Without a charge, the tail is not sent.
      if (this.#isOver) return await cut(controller)
      await this.#fail(asCallFailure(thrown), controller)
    }
  }

  /** Called when the caller disconnects. */
  async cancel(): Promise<void> {
    if (this.#isOver) return
    this.#close()
    this.#response.attempt.fail(new CallEnded("caller_disconnected"))
    await this.#response.end("left")
  }

  async #fail(thrown: CallFailure, controller: Controller): Promise<void> {
    this.#close()
    const { attempt, call, hasErrorEvents, end } = this.#response
    const failure = attempt.fail(thrown)
    const hasLeft = isCallerGone(failure)
    const { isCharged } = await end(hasLeft ? "left" : "broken")
    if (hasLeft || !hasErrorEvents) return await cut(controller)
    const reported = callerError(failure)
    const error = call.hidesCosts === true ? errorWithoutProviders(reported) : reported
    controller.enqueue(errorEvent(isCharged ? asChargedError(error) : error, call.id))
    call.onStreamEnd?.(true)
    controller.close()
  }

  #close(): void {
    this.#isOver = true
    this.#response.call.memory[Symbol.dispose]()
  }
}

/** Returns an error as the last event of a stream. */
function errorEvent(error: GatewayError, requestId: string): Uint8Array {
  return encodeText(formatEvent({ data: JSON.stringify(errorEnvelope(error, requestId)) }))
}

/**
 * Cuts the connection once the forwarded bytes are sent. Otherwise, Bun would drop them together with the headers. No
 * reason is given, because Bun would print it and it has already been reported.
 */
async function cut(controller: Controller): Promise<void> {
  await nextTurn()
  controller.error(undefined)
}
