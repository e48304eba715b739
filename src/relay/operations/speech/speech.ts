import { asChargedError, errorEnvelope, GatewayError } from "../../../canon/errors.ts"
import { jsonOf, unusable } from "../../../canon/operation-answer.ts"
import {
  type EncodedSpeech,
  PCM_RATE,
  type SoundForm,
  type SpeechFormat,
  type SpeechRequest,
} from "../../../canon/speech.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { refuseLong, type SpeechWish } from "../../../dialects/speech/request.ts"
import { doneEvent, soundEvent, SpeechEventReader } from "../../../dialects/speech/stream.ts"
import { unwrapWave, wrapWave } from "../../../media/wave.ts"
import { encodeText, formatEvent } from "../../../wire/sse.ts"
import { atNoExtraPrice } from "../../billable/passed-fields.ts"
import type { Answer, Call, Caller } from "../../pipeline/call.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { chargedBody, type Endings, keepLastPiece, type Pieces, piecesOf } from "../charged-body.ts"
import type { Operations } from "../operations.ts"
import type { Attempt, Target } from "../../upstream/attempt.ts"
import { isByTokens, type SpeechEnding, speechUsage, worstSpeech } from "./speech-usage.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import { CallEnded } from "../../pipeline/end-reason.ts"
import type { OperationCandidate, UpstreamAnswer } from "../operation-candidate.ts"
import { notCarried } from "../../pipeline/answer-headers.ts"

/** The content types of DESIGN, "Audio types". */
const CONTENT_TYPES: Readonly<Record<SoundForm, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
}

/** Sound that has begun to come. */
interface Sounding {
  readonly request: SpeechRequest
  /** As it goes out. */
  readonly pieces: AsyncGenerator<Uint8Array>
  /** As it comes in: bytes so far, and what the vendor counted. */
  readonly heard: Heard
  readonly form: SoundForm
  readonly attempt: Attempt<Target>
}

interface Heard {
  bytes: number
  /** Bytes of the whole, where the answer says so. */
  announced: number | undefined
  /** Samples per second, where that is told. */
  rate: number | undefined
  usage: Usage | undefined
}

/** `POST /v1/audio/speech`, from the request as it was read to sound that is paid for. */
export class Speaking {
  readonly #operations: Operations

  constructor(operations: Operations) {
    this.#operations = operations
  }

  /** @throws GatewayError; then nothing is held any more. */
  async speak(call: Call, wish: SpeechWish, caller: Caller): Promise<Answer> {
    const attempt = (candidate: OperationCandidate): Promise<Outcome<Sounding>> =>
      speakAt(candidate, wish, call)
    const open = await this.#operations.begin({ ...this.plan(call, wish), attempt }, caller)
    const { headers } = open
    headers["content-type"] = wish.events
      ? "text/event-stream; charset=utf-8"
      : CONTENT_TYPES[wish.form]
    if (wish.events) headers["cache-control"] = "no-cache"
    return { headers, body: bodyOf(open, call) }
  }

  /** @throws GatewayError */
  plan(call: Call, wish: SpeechWish): OperationPlan {
    const { config } = this.#operations
    const known = config.catalog.require(wish.model, "speech", call.key)
    const model = atNoExtraPrice(known, wish.extra, config)
    refuseLong(wish, model.maxInput)
    return {
      call,
      model,
      worst: worstSpeech(wish, model),
      // An answer that breaks off is paid for by what came of it.
      least: NO_USAGE,
      lossesAt: (target) => encodedFor(target, wish).encoded.losses,
    }
  }
}

async function speakAt(
  candidate: OperationCandidate,
  wish: SpeechWish,
  call: Call,
): Promise<Outcome<Sounding>> {
  const { format, request, encoded } = encodedFor(candidate, wish)
  if (call.isStrict && encoded.losses.length > 0) throw notCarried(encoded.losses)
  const answer = await candidate.call(encoded.call, format)
  const heard: Heard = { bytes: 0, announced: undefined, rate: undefined, usage: undefined }
  const { attempt } = answer
  const { form, losses } = encoded
  try {
    const source = await begun(
      counted(sourceOf(answer, encoded, heard), heard),
      wish.events ? 1 : 2,
    )
    // What came as JSON is here whole by now.
    const known = encoded.delivery.type === "json" ? heard.bytes : undefined
    const pieces = asWanted(source, { came: form, wanted: request.form, known, rate: heard.rate })
    return { value: { request, pieces, heard, form, attempt }, losses }
  } catch (thrown) {
    throw attempt.fail(thrown)
  }
}

function encodedFor(target: Target, wish: SpeechWish) {
  const { price, upstreamModel } = target.deployment
  const format = formatOf(target)
  const request = { ...wish, needsTokens: price !== undefined && isByTokens(price) }
  return { format, request, encoded: format.encode(request, upstreamModel) }
}

function formatOf({ endpoint }: Target): SpeechFormat {
  const format = endpoint.vendor.operations?.speech
  if (format) return format
  throw new GatewayError(
    "model_not_supported",
    `Provider '${endpoint.provider}' has no speech that this gateway knows.`,
    { parameter: "model" },
  )
}

/** An error that comes with a good status is words, not sound. */
const NO_SOUND = /^(application\/json|text\/)/

/** The sound of an answer, however it is packed. */
async function* sourceOf(
  answer: UpstreamAnswer,
  { delivery }: EncodedSpeech,
  heard: Heard,
): AsyncGenerator<Uint8Array> {
  const { attempt, response } = answer
  const { headers } = response
  const type = headers.get("content-type") ?? ""
  const isEvents = type.startsWith("text/event-stream")
  if (delivery.type === "json") {
    using _ = attempt
    const spoken = delivery.read(jsonOf({ headers, bytes: await attempt.bytes(response) }))
    heard.usage = spoken.usage
    heard.rate = spoken.rate
    yield spoken.sound
  } else if (delivery.type === "events" && isEvents) {
    const reader = new SpeechEventReader(attempt.memory)
    for await (const piece of piecesOf(answer)) yield* reader.push(piece)
    if (!reader.isOver) throw unusable("it ended before its last event")
    heard.usage = reader.usage
  } else if (NO_SOUND.test(type)) throw unusable("it holds no sound")
  else {
    const announced = Number(headers.get("content-length"))
    if (announced > 0) heard.announced = announced
    yield* piecesOf(answer)
  }
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  heard: Heard,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    heard.bytes += piece.byteLength
    yield piece
  }
}

/**
 * Waits for the first pieces, so that a failure before anything can be passed on is one of this attempt alone.
 * @param count 2 where the last piece is kept back: the first could be it.
 */
async function begun(
  source: AsyncGenerator<Uint8Array>,
  count: 1 | 2,
): Promise<AsyncGenerator<Uint8Array>> {
  const pieces: Uint8Array[] = []
  while (pieces.length < count) {
    const { done, value } = await source.next()
    if (done) break
    pieces.push(value)
  }
  if (pieces.length === 0) throw unusable("it holds no sound")
  return withFirst(pieces, source)
}

async function* withFirst(
  pieces: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* pieces
  yield* rest
}

interface Conversion {
  readonly came: SoundForm
  readonly wanted: SoundForm
  /** Bytes of the whole, where it is known. */
  readonly known: number | undefined
  readonly rate: number | undefined
}

/** Makes wav and pcm of each other. Only a header can tell of another rate than callers expect of pcm. */
function asWanted(source: AsyncGenerator<Uint8Array>, conversion: Conversion) {
  const { came, wanted, known, rate = PCM_RATE } = conversion
  if (came !== wanted && wanted === "wav") return wrapWave(source, known, rate)
  if (rate !== PCM_RATE) throw unusable(`its sound has ${rate} samples per second`)
  return came === wanted ? source : unwrapWave(source)
}

function bodyOf(open: OpenOperation<Sounding>, call: Call): ReadableStream<Uint8Array> {
  const { value, deployment } = open
  const { request } = value
  const settle = async (ending: SpeechEnding): Promise<Usage> => {
    const { form, heard } = value
    const { bytes, announced, usage: told } = heard
    const amount = { request, form, bytes, announced, ending, told }
    const { usage, estimated } = speechUsage(amount, deployment.price)
    await open.settle(usage, estimated)
    return usage
  }
  const endings: Endings = {
    async whole() {
      const usage = await settle("whole")
      return request.events ? doneEvent(usage) : undefined
    },
    async broken(error) {
      const told = asChargedError(value.attempt.fail(error))
      await settle("broken")
      if (!request.events) return undefined
      return encodeText(formatEvent({ data: JSON.stringify(errorEnvelope(told, call.id)) }))
    },
    async left() {
      value.attempt.fail(new CallEnded("caller_left"))
      await settle("left")
    },
  }
  const pieces = request.events ? inEvents(value.pieces) : keepLastPiece(value.pieces)
  return chargedBody(pieces, endings, call.memory)
}

async function* inEvents(pieces: AsyncIterable<Uint8Array>): Pieces {
  for await (const piece of pieces) yield soundEvent(piece)
  return undefined
}
