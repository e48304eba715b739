import { jsonOf, unusable } from "../../../canon/operation-response.ts"
import {
  type EncodedSpeech,
  PCM_RATE,
  type SoundForm,
  type SpeechFormat,
  type SpeechRequest,
} from "../../../canon/speech.ts"
import type { Usage } from "../../../canon/usage.ts"
import type { SpeechOptions } from "../../../dialects/speech/request.ts"
import { SpeechEventReader } from "../../../dialects/speech/stream.ts"
import { unwrapWave, wrapWave } from "../../../media/wave.ts"
import { notCarried } from "../../pipeline/response-headers.ts"
import type { Call } from "../../request/call.ts"
import type { Attempt, Candidate } from "../../upstream/attempt.ts"
import { awaitFirst, type Chunks, chunksOf, eventsOf } from "../charged-body.ts"
import type { Outcome } from "../open-operation.ts"
import {
  responseOf,
  type OperationCandidate,
  type UpstreamResponse,
} from "../operation-candidate.ts"
import { formatOf } from "../vendor-format.ts"
import { isByTokens } from "./speech-usage.ts"

/** Audio whose first chunks have arrived. */
export interface SpeechReceived {
  readonly request: SpeechRequest
  /** Outgoing chunks. */
  readonly chunks: AsyncGenerator<Uint8Array>
  /** The audio received so far. */
  readonly received: Received
  readonly form: SoundForm
  readonly attempt: Attempt<Candidate>
}

interface Received {
  bytes: number
  /** Bytes of the complete audio, if the response announces them. */
  announced: number | undefined
  /** Samples per second, if the vendor reports them. */
  rate: number | undefined
  /** The vendor's own count. */
  usage: Usage | undefined
  /** The characters that the vendor bills, if it reports them. */
  billedCharacters: number | undefined
}

/**
 * Requests the speech of a text from one deployment.
 * @throws GatewayError before any audio can be passed on.
 */
export async function synthesizeAt(
  candidate: OperationCandidate,
  options: SpeechOptions,
  call: Call,
): Promise<Outcome<SpeechReceived>> {
  const { format, request, encoded } = encodedFor(candidate, options)
  const { form, losses, delivery } = encoded
  if (call.isStrict && losses.length > 0) throw notCarried(losses)
  const upstream = await candidate.call(encoded.call, format)
  const { attempt } = upstream
  const { upstreamModel } = candidate.deployment
  const received: Received = {
    bytes: 0,
    announced: undefined,
    rate: undefined,
    usage: undefined,
    billedCharacters: format.billedCharacters?.(upstream.response.headers, upstreamModel),
  }
  try {
    // Two chunks are needed if the last chunk is withheld, because it could be the first one.
    const count = options.events ? 1 : 2
    const sounds = sourceOf(upstream, { format, encoded }, received)
    const source = await awaitFirst(counted(sounds, received), count)
    const chunks = asWanted(source, { delivery, from: form, wanted: request.form, received })
    return { value: { request, chunks, received, form, attempt }, losses }
  } catch (thrown) {
    throw attempt.fail(thrown)
  }
}

interface EncodedFor {
  readonly format: SpeechFormat
  readonly request: SpeechRequest
  readonly encoded: EncodedSpeech
}

/**
 * Encodes the request for a deployment's vendor.
 * @throws GatewayError if the vendor cannot serve the request.
 */
export function encodedFor(candidate: Candidate, options: SpeechOptions): EncodedFor {
  const { price, upstreamModel } = candidate.deployment
  const format = formatOf(candidate, "speech")
  const request = { ...options, needsTokens: price !== undefined && isByTokens(price) }
  return { format, request, encoded: format.encode(request, upstreamModel) }
}

/** Matches content types of errors that are sent with a success status. */
const NOT_AUDIO = /^(application\/json|text\/)/

/** Yields the audio of a response, in any form of delivery. */
async function* sourceOf(
  upstream: UpstreamResponse,
  { format, encoded: { delivery } }: Pick<EncodedFor, "format" | "encoded">,
  received: Received,
): AsyncGenerator<Uint8Array> {
  const { attempt, response } = upstream
  const { headers } = response
  const type = headers.get("content-type") ?? ""
  const isEvents = type.startsWith("text/event-stream")
  if (delivery.type === "json") {
    using _ = attempt
    const speech = delivery.read(jsonOf(await responseOf(upstream, format)))
    received.usage = speech.usage
    received.rate = speech.rate
    yield speech.sound
  } else if (delivery.type === "events" && isEvents) {
    const reader = new SpeechEventReader()
    yield* eventsOf(upstream, reader)
    received.usage = reader.usage
  } else if (NOT_AUDIO.test(type)) {
    if (type.startsWith("application/json")) {
      jsonOf(await responseOf(upstream, format))
    }
    throw unusable("it contains no audio")
  } else {
    const announced = Number(headers.get("content-length"))
    if (announced > 0) received.announced = announced
    yield* chunksOf(upstream)
  }
}

/**
 * Counts the received audio.
 * @throws GatewayError at the end if no audio was received.
 */
async function* counted(source: AsyncIterable<Uint8Array>, received: Received): Chunks {
  let isEmpty = true
  for await (const chunk of source) {
    isEmpty = false
    received.bytes += chunk.byteLength
    yield chunk
  }
  if (isEmpty) throw unusable("it contains no audio")
  return undefined
}

interface Conversion {
  readonly delivery: EncodedSpeech["delivery"]
  readonly from: SoundForm
  readonly wanted: SoundForm
  readonly received: Received
}

/**
 * Converts between wav and pcm. Callers expect a fixed sample rate for pcm, and only a wav header can state another
 * rate.
 */
function asWanted(
  source: Chunks,
  { delivery, from: came, wanted, received }: Conversion,
): AsyncGenerator<Uint8Array> {
  const { bytes, rate = PCM_RATE } = received
  if (came !== wanted && wanted === "wav") {
    // A JSON response has already been read completely.
    return wrapWave(source, delivery.type === "json" ? bytes : undefined, rate)
  }
  if (rate !== PCM_RATE) throw unusable(`its audio has ${rate} samples per second`)
  return came === wanted ? source : unwrapWave(source)
}
