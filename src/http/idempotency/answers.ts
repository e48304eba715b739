import { GatewayError } from "../../canon/errors.ts"
import type { AnswerHead } from "./answer-file.ts"
import type { NeighbourAnswer } from "./neighbours.ts"
import type { RecordingReader } from "./recording.ts"
import type { StoredAnswer } from "./stored-answer.ts"

/** Answers up to this many bytes go out with their length, as the first one did. */
const SMALL = 1024 * 1024

/** Where the bytes of an answer come from. */
interface Source {
  /** Undefined at the end. @throws when the answer broke off there. */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>
  close(): void
}

/** An answer while it comes. @param caller who may leave at any time. */
export async function fromReader(reader: RecordingReader, caller: AbortSignal): Promise<Response> {
  const leave = (): void => reader.leave()
  if (caller.aborted) leave()
  caller.addEventListener("abort", leave, { once: true })
  const head = await reader.begun()
  if (!head) throw new GatewayError("upstream_error", "The caller has left.")
  return await answerOf(head, reader.rest, { next: () => reader.read(), close: leave })
}

/** An answer that was kept. */
export async function fromStored(stored: StoredAnswer): Promise<Response> {
  const { head, length, ending } = stored
  const next = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const bytes = await stored.next()
    if (bytes === undefined && ending === "cut") throw new Error("the answer broke off here")
    return bytes
  }
  const close = (): void => void stored[Symbol.asyncDispose]().catch(() => {})
  return await answerOf(head, ending === "whole" ? length : undefined, { next, close })
}

/** An answer that another process gives. */
export async function fromNeighbour({ head, response }: NeighbourAnswer): Promise<Response> {
  const body = response.body?.getReader() as
    | ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
    | undefined
  const length = response.headers.get("content-length")
  return await answerOf(head, body ? lengthOf(length) : 0, {
    next: async () => (await body?.read())?.value,
    close: () => void body?.cancel().catch(() => {}),
  })
}

function lengthOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text)
}

/** @param rest how many bytes are to come, where that is known. */
async function answerOf(
  { status, headers }: AnswerHead,
  rest: number | undefined,
  source: Source,
): Promise<Response> {
  if (rest === undefined || rest > SMALL) return new Response(streamOf(source), { status, headers })
  const chunks: Uint8Array[] = []
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) chunks.push(chunk)
  } finally {
    source.close()
  }
  const isEmpty = chunks.length === 0 && status === 204
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers })
}

function streamOf({ next, close }: Source): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await next()
          if (bytes) return controller.enqueue(bytes)
          close()
          controller.close()
        } catch {
          close()
          // The connection is cut, so that no one takes what arrived for the complete answer.
          controller.error(undefined)
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}
