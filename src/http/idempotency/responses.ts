import { GatewayError } from "../../canon/errors.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import { StallLimit } from "../../limits/stall-limit.ts"
import { encodeText, formatEvent } from "../../wire/sse.ts"
import { encodeBreak as encodeOpenAiBreak } from "../responses.ts"
import { type ResponseHead, MAX_CHUNK_BYTES } from "./response-file.ts"
import { EventFrames } from "./event-frames.ts"
import type { NeighbourResponse } from "./neighbours.ts"
import type { RecordingReader } from "./recording.ts"
import type { RepeatableRequest } from "./repeatable-request.ts"
import type { StoredResponse } from "./stored-response.ts"

/** Maximum bytes of a response that is sent with its length, like the original. */
const MAX_BYTES_WITH_LENGTH = 64 * 1024
/** Maximum memory of a longer response while it is sent: a chunk, and the runtime's copy of the chunk. */
const MAX_SENT_BYTES = 2 * MAX_CHUNK_BYTES
/** The caller has disconnected, so this status is never delivered. */
const CALLER_DISCONNECTED = 499

/** The caller that receives a response. */
type Receiver = Pick<RepeatableRequest, "encodeBreak" | "memory" | "onAnswered">

/** The source of a response's bytes. */
interface Source {
  /**
   * Returns the next bytes; undefined at the end.
   * @throws if the response broke off at this point.
   */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>
  close(): void
  /** Returns the error that ends an interrupted event stream. If absent, the connection is cut. */
  readonly errorOf?: (request: string) => GatewayError
  /** Number of bytes that can be read at once, if known. */
  readonly ready?: number
  /** The memory of the response. If its caller does not read, the connection is cut. */
  readonly held?: Reservation | undefined
}

/**
 * Sends a response while it is being recorded.
 * @param caller aborted when the caller disconnects.
 */
export function fromReader(
  reader: RecordingReader,
  caller: AbortSignal,
  receiver?: Receiver,
): Promise<Response> {
  return responseOfReader(reader, caller, { errorOf: endedEarly }, receiver)
}

/** Sends a response to another process, which itself sends the error event to its caller. */
export function forNeighbour(reader: RecordingReader, caller: AbortSignal): Promise<Response> {
  return responseOfReader(reader, caller, {})
}

async function responseOfReader(
  reader: RecordingReader,
  caller: AbortSignal,
  part: Pick<Source, "errorOf">,
  receiver?: Receiver,
): Promise<Response> {
  const leave = (): void => reader.leave()
  if (caller.aborted) leave()
  caller.addEventListener("abort", leave, { once: true })
  const head = await reader.begun()
  if (!head) return new Response(null, { status: CALLER_DISCONNECTED })
  const { ready, rest } = reader
  const source = { ...part, next: () => reader.read(), close: leave, ready }
  return await responseOf(head, rest, source, receiver)
}

/** Sends a stored response. */
export async function fromStored(stored: StoredResponse, receiver?: Receiver): Promise<Response> {
  const { head, length, ending } = stored
  const next = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const bytes = await stored.next()
    if (bytes === undefined && ending === "cut") throw new Error("the response broke off here")
    return bytes
  }
  const close = (): void => void stored[Symbol.asyncDispose]().catch(() => {})
  const source = { next, close, errorOf: brokeOff, ready: length }
  return await responseOf(head, ending === "whole" ? length : undefined, source, receiver)
}

/** Sends a response received from another process. */
export async function fromNeighbour(
  { head, response }: NeighbourResponse,
  receiver?: Receiver,
): Promise<Response> {
  const body = response.body?.getReader() as
    | ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
    | undefined
  const length = response.headers.get("content-length")
  const source = {
    next: async () => (await body?.read())?.value,
    close: () => void body?.cancel().catch(() => {}),
    errorOf: endedEarly,
  }
  return await responseOf(head, body ? lengthOf(length) : 0, source, receiver)
}

function lengthOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text)
}

/**
 * Builds a response whose bytes come from a source.
 * @param rest number of remaining bytes, if known. A longer response holds memory until it is sent.
 * @throws GatewayError `overloaded`.
 */
async function responseOf(
  { status, headers }: ResponseHead,
  rest: number | undefined,
  source: Source,
  { encodeBreak: encode = encodeOpenAiBreak, memory, onAnswered }: Receiver = {},
): Promise<Response> {
  if (rest === undefined || rest > MAX_BYTES_WITH_LENGTH) {
    const { errorOf } = source
    const hasEvents = headers["content-type"]?.startsWith("text/event-stream") === true
    const request = headers["x-request-id"] ?? ""
    const breakOff: BreakOff | undefined =
      errorOf && hasEvents
        ? (last, error = errorOf(request)) => encode(error, request, last).map(formatEvent).join("")
        : undefined
    const held = memory?.another()
    // An event stream reserves more memory when its frames grow. Other bodies reserve their maximum now, because a
    // later rejection could not be reported.
    const first = rest ?? (breakOff && source.ready) ?? MAX_CHUNK_BYTES
    const close = (): void => {
      source.close()
      held?.[Symbol.dispose]()
      onAnswered?.(true)
    }
    const sent = { ...source, close, held }
    try {
      if (held) takeFor(held, first)
    } catch (rejection) {
      close()
      throw rejection
    }
    const body = breakOff ? streamOf(sent, new EventFrames(), breakOff) : streamOf(sent)
    return new Response(body, { status, headers })
  }
  const chunks: Uint8Array[] = []
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) chunks.push(chunk)
  } finally {
    source.close()
    onAnswered?.(false)
  }
  const isEmpty = chunks.length === 0 && status === 204
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers })
}

/**
 * Returns the events that end an interrupted stream.
 * @param last the last frames that were sent.
 * @param error the reason, if this process interrupted the stream.
 */
type BreakOff = (last: string, error?: GatewayError) => string

/**
 * Reserves the memory for a chunk and its copy, unless memory for a longer chunk is already reserved.
 * @throws GatewayError `overloaded`.
 */
function takeFor(held: Reservation, chunkBytes: number): void {
  const missing = Math.min(2 * chunkBytes, MAX_SENT_BYTES) - held.held
  if (missing > 0) held.takeResponse(missing)
}

/**
 * Builds the body of a response.
 * @param frames the frames of an event stream; absent for other bodies, whose connection is cut if they break off.
 */
function streamOf(
  { next, close: end, held }: Source,
  frames?: EventFrames,
  breakOff?: BreakOff,
): ReadableStream<Uint8Array> {
  let stall: StallLimit | undefined
  const close = (): void => {
    stall?.[Symbol.dispose]()
    end()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (held === undefined) return
        stall = new StallLimit(held, () => {
          close()
          controller.error(undefined)
        })
      },
      async pull(controller) {
        // While the response waits for its source, the caller has read all data, so the stall limit does not apply.
        stall?.[Symbol.dispose]()
        try {
          for (let bytes = await next(); bytes; bytes = await next()) {
            if (held) takeFor(held, bytes.byteLength)
            const passed = frames ? frames.push(bytes) : bytes
            if (passed) {
              controller.enqueue(passed)
              return stall?.restart()
            }
          }
          const rest = frames?.rest
          if (rest) controller.enqueue(rest)
          close()
          controller.close()
        } catch (thrown) {
          close()
          const rejection = thrown instanceof GatewayError ? thrown : undefined
          if (!frames?.isComplete || !breakOff) {
            // Cuts the connection, so that the partial response is not mistaken for the complete one.
            return controller.error(undefined)
          }
          controller.enqueue(encodeText(breakOff(frames.last, rejection)))
          controller.close()
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}

/** Builds the error for a response whose process ended while it was recorded. */
function endedEarly(): GatewayError {
  return new GatewayError(
    "overloaded",
    "The process that ran this request ended before the response was complete. Send the request again with the same idempotency key: nothing is charged twice.",
  )
}

/** Builds the error for a stored response that broke off. */
function brokeOff(request: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The original response broke off here, and this part was charged: see /v1/receipts/${request}. To run and pay for the request again, send a new idempotency key.`,
  )
}
