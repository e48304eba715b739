import { errorEnvelope, GatewayError } from "../canon/errors.ts"
import type { OperationCall } from "../canon/operation.ts"
import { unusable } from "../canon/operation-answer.ts"
import type {
  Transcript,
  TranscriptionFormat,
  TranscriptionRequest,
} from "../canon/transcription.ts"
import { TranscriptEventReader } from "../dialects/transcription/events.ts"
import { renderEvents, renderTranscript } from "../dialects/transcription/render.ts"
import { encodeText, formatEvent } from "../wire/sse.ts"
import { notCarried } from "./attempts.ts"
import type { Answer, Call, Caller } from "./call.ts"
import { CALLER_LEFT } from "./exchange.ts"
import { chargedBody, type Pieces, piecesOf } from "./last-piece.ts"
import type { OpenOperation, Operations, Outcome, UpstreamAnswer, Way } from "./operations.ts"
import { transcriptionUsage, worstTranscription } from "./transcription-usage.ts"

/** What came of a sound: a transcript, or a vendor's own stream of one. */
type Heard =
  | { readonly type: "whole"; readonly transcript: Transcript }
  | {
      readonly type: "stream"
      readonly answer: UpstreamAnswer
      readonly reader: TranscriptEventReader
      readonly pieces: Pieces
    }

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
} as const

/** `POST /v1/audio/transcriptions` and `/translations`, from the request as it was read to paid text. */
export class Transcribing {
  readonly #operations: Operations

  constructor(operations: Operations) {
    this.#operations = operations
  }

  /**
   * @param isOver called when the sound is not needed any more, also when it failed.
   * @throws GatewayError; then nothing is held any more.
   */
  async transcribe(
    call: Call,
    request: TranscriptionRequest,
    caller: Caller,
    isOver: () => void,
  ): Promise<Answer> {
    let isHandedOver = false
    try {
      const { catalog } = this.#operations.surroundings
      const model = catalog.require(request.model, "transcription", call.key.allows)
      const worst = worstTranscription(request, model)
      const attempt = (way: Way): Promise<Outcome<Heard>> => hearAt(way, request, call)
      const open = await this.#operations.begin({ call, model, worst, attempt }, caller)
      const { value } = open
      if (value.type === "whole") return await answerWhole(open, value.transcript, request)
      isHandedOver = true
      Object.assign(open.headers, STREAM_HEADERS)
      return {
        headers: open.headers,
        body: streamOf(open, value, { request, id: call.id, isOver }),
      }
    } finally {
      if (!isHandedOver) isOver()
    }
  }
}

async function answerWhole(
  open: OpenOperation<Heard>,
  transcript: Transcript,
  request: TranscriptionRequest,
): Promise<Answer> {
  const { usage, estimated } = transcriptionUsage(transcript, request, open.deployment.price)
  await open.settle(usage, estimated)
  const { headers } = open
  if (request.stream) {
    Object.assign(headers, STREAM_HEADERS)
    return { headers, body: renderEvents(transcript, request) }
  }
  const { contentType, body } = renderTranscript(transcript, request)
  headers["content-type"] = contentType
  return { headers, body }
}

async function hearAt(
  way: Way,
  request: TranscriptionRequest,
  call: Call,
): Promise<Outcome<Heard>> {
  const format = formatOf(way)
  const { calls, losses } = await format.encode(request, way.deployment.upstreamModel)
  if (call.isStrict && losses.length > 0) throw notCarried(losses)
  const [only] = calls
  if (!only) throw new Error("a transcription is one call")
  return { value: await hear(way, format, only, request), losses }
}

async function hear(
  way: Way,
  format: TranscriptionFormat,
  call: OperationCall,
  request: TranscriptionRequest,
): Promise<Heard> {
  const answer = await way.call(call, format)
  const { attempt, response } = answer
  const { headers } = response
  if (request.stream && headers.get("content-type")?.startsWith("text/event-stream")) {
    const reader = new TranscriptEventReader()
    const pieces = await begun(passedOn(answer, reader))
    return { type: "stream", answer, reader, pieces }
  }
  using _ = attempt
  const bytes = await attempt.bytes(response)
  return { type: "whole", transcript: format.decode({ headers, bytes }, request) }
}

function formatOf({ endpoint }: Way): TranscriptionFormat {
  const format = endpoint.vendor.operations?.transcription
  if (format) return format
  throw new GatewayError(
    "model_not_supported",
    `Provider '${endpoint.provider}' has no transcription that this gateway knows.`,
    { parameter: "model" },
  )
}

/** The vendor's bytes as they come; from those that hold its last event on they wait for the charge. */
async function* passedOn(answer: UpstreamAnswer, reader: TranscriptEventReader): Pieces {
  const kept: Uint8Array[] = []
  for await (const piece of piecesOf(answer)) {
    reader.push(piece)
    if (reader.isOver) kept.push(piece)
    else yield piece
  }
  if (!reader.isOver) throw unusable("it ended before its last event")
  return Buffer.concat(kept)
}

/** Waits for the first piece, so that a failure before it is one of this attempt alone. */
async function begun(pieces: Pieces): Promise<Pieces> {
  const first = await pieces.next()
  return withFirst(first, pieces)
}

async function* withFirst(
  first: IteratorResult<Uint8Array, Uint8Array | undefined>,
  rest: Pieces,
): Pieces {
  if (first.done) return first.value
  yield first.value
  return yield* rest
}

interface StreamFacts {
  readonly request: TranscriptionRequest
  readonly id: string
  readonly isOver: () => void
}

function streamOf(
  open: OpenOperation<Heard>,
  { answer, reader, pieces }: Extract<Heard, { type: "stream" }>,
  { request, id, isOver }: StreamFacts,
): ReadableStream<Uint8Array> {
  const settle = async (): Promise<void> => {
    isOver()
    const { usage, estimated } = transcriptionUsage(reader, request, open.deployment.price)
    await open.settle(usage, estimated)
  }
  const giveUp = (): Promise<void> => {
    answer.attempt.end(CALLER_LEFT)
    answer.attempt[Symbol.dispose]()
    return settle()
  }
  return chargedBody(pieces, {
    async whole() {
      await settle()
      return undefined
    },
    async broken(error) {
      await giveUp()
      return encodeText(formatEvent({ data: JSON.stringify(errorEnvelope(error, id)) }))
    },
    left: giveUp,
  })
}
