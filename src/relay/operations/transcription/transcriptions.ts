import { errorEnvelope } from "../../../canon/errors.ts"
import type { Transcript, TranscriptionRequest } from "../../../canon/transcription.ts"
import type { Model } from "../../../catalog/model.ts"
import { renderEvents, renderTranscript } from "../../../dialects/transcription/result.ts"
import { encodeText, formatEvent } from "../../../wire/sse.ts"
import { atNoExtraPrice } from "../../billable/passed-fields.ts"
import type { Answer, Call, Caller } from "../../pipeline/call.ts"
import { type ArrivingRequest, BegunTranscription } from "./begun-transcription.ts"
import { CALLER_LEFT } from "../../pipeline/exchange.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { formatOf, type Heard, hearAt, hearingPlan } from "./transcription-format.ts"
import { chargedBody, type Endings } from "../charged-body.ts"
import type { OpenOperation, Operations } from "../operations.ts"
import { transcriptionUsage, worstTranscription } from "./transcription-usage.ts"
import { Translating, type TranslatingServices } from "./translations.ts"

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
} as const

/** A request to write a sound down, whole. */
export interface TranscriptionOrder {
  readonly call: Call
  readonly request: TranscriptionRequest
  /** Present where it began before it was whole. */
  readonly begun?: BegunTranscription | undefined
}

/** `POST /v1/audio/transcriptions` and `/translations`, from the request as it was read to paid text. */
export class Transcribing {
  readonly #operations: Operations
  readonly #translating: Translating

  constructor(services: TranslatingServices) {
    this.#operations = services.operations
    this.#translating = new Translating(services)
  }

  /**
   * Begins with a sound that still comes: holds what it can cost, and sends it on as it comes.
   * @param request with the sound as it will be, its length apart.
   * @param isWhole whether all of it has come.
   * @returns undefined where there is nothing to begin with.
   * @throws GatewayError; then nothing is held.
   */
  async begin(
    call: Call,
    { request, isWhole }: ArrivingRequest,
    caller: Caller,
  ): Promise<BegunTranscription | undefined> {
    const model = this.#modelOf(call, request)
    if (request.task === "translate" && !this.#translates(model)) return undefined
    const worst = worstTranscription(request, model)
    const order = { call, model, worst, isWhole: !request.stream }
    const admitted = await this.#operations.admit(order, caller)
    const sending = admitted.start(async (target) => {
      const { upstreamModel } = target.deployment
      const { calls, losses } = await formatOf(target).encode(request, upstreamModel)
      const [only] = calls
      return only && !(call.isStrict && losses.length > 0) ? { call: only, isWhole } : undefined
    })
    // What cannot be sent yet is sent, or refused, when all of it is here.
    sending.catch(() => {})
    return new BegunTranscription(admitted, model, request)
  }

  /**
   * @param isOver called when the sound is not needed any more, also when it failed.
   * @throws GatewayError; then nothing is held any more.
   */
  async transcribe(
    { call, request, begun }: TranscriptionOrder,
    caller: Caller,
    isOver: () => void,
  ): Promise<Answer> {
    let isHandedOver = false
    try {
      const model = begun?.model ?? this.#modelOf(call, request)
      if (request.task === "translate" && !this.#translates(model)) {
        const order = { call, request, model }
        const { transcript, headers } = await this.#translating.translate(order, caller)
        return answerOf(transcript, request, headers)
      }
      const worst = worstTranscription(request, model)
      const admitted =
        begun?.admitted ??
        (await this.#operations.admit({ call, model, worst, isWhole: !request.stream }, caller))
      const open = await admitted.open((way) => hearAt(way, request, call))
      const { value } = open
      if (value.type === "whole") return await answerWhole(open, value.transcript, request)
      isHandedOver = true
      Object.assign(open.headers, STREAM_HEADERS)
      return {
        headers: open.headers,
        body: streamOf(open, value, { request, call, isOver }),
      }
    } finally {
      if (!isHandedOver) isOver()
    }
  }

  /** What it takes: one model, or two where the text has to be translated by another. @throws GatewayError */
  plan(call: Call, request: TranscriptionRequest): OperationPlan[] {
    const model = this.#modelOf(call, request)
    if (request.task === "translate" && !this.#translates(model)) {
      return this.#translating.plan({ call, request, model })
    }
    return [hearingPlan(call, request, model)]
  }

  #modelOf({ key }: Call, { model, extra }: TranscriptionRequest): Model {
    const { surroundings } = this.#operations
    const known = surroundings.catalog.require(model, "transcription", key)
    return atNoExtraPrice(known, extra, surroundings)
  }

  /** Whether any vendor of the model can be asked for English. */
  #translates({ deployments }: Model): boolean {
    const { endpoints } = this.#operations.surroundings
    return deployments.some(({ provider, upstreamModel }) => {
      const format = endpoints.get(provider)?.vendor.operations?.transcription
      // What cannot transcribe either is to be refused for that.
      return format === undefined || format.translates(upstreamModel)
    })
  }
}

async function answerWhole(
  open: OpenOperation<Heard>,
  transcript: Transcript,
  request: TranscriptionRequest,
): Promise<Answer> {
  const { usage, estimated } = transcriptionUsage(transcript, request, open.deployment.price)
  await open.settle(usage, estimated)
  return answerOf(transcript, request, open.headers)
}

function answerOf(
  transcript: Transcript,
  request: TranscriptionRequest,
  headers: Record<string, string>,
): Answer {
  if (request.stream) {
    Object.assign(headers, STREAM_HEADERS)
    return { headers, body: renderEvents(transcript, request) }
  }
  const { contentType, body } = renderTranscript(transcript, request)
  headers["content-type"] = contentType
  return { headers, body }
}

interface StreamFacts {
  readonly request: TranscriptionRequest
  readonly call: Call
  readonly isOver: () => void
}

function streamOf(
  open: OpenOperation<Heard>,
  { answer, reader, pieces }: Extract<Heard, { type: "stream" }>,
  { request, call, isOver }: StreamFacts,
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
  const endings: Endings = {
    async whole() {
      await settle()
      return undefined
    },
    async broken(error) {
      await giveUp()
      const told = answer.attempt.cleaned(error)
      return encodeText(formatEvent({ data: JSON.stringify(errorEnvelope(told, call.id)) }))
    },
    left: giveUp,
  }
  return chargedBody(pieces, endings, call.memory)
}
