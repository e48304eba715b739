import type { SoundForm, SpeechFormat } from "../../../canon/speech.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { credentialIdOf, type Model } from "../../../catalog/model.ts"
import { rejectLong, type SpeechOptions } from "../../../dialects/speech/request.ts"
import { atNoExtraPrice } from "../../priced-features/passed-fields.ts"
import type { EndpointResponse, Call, Caller } from "../../request/call.ts"
import { askedModel, preferredModel } from "../../routing-preferences/preferred-model.ts"
import type { OperationPlan } from "../operation-plan.ts"
import type { Operations } from "../operations.ts"
import { speechLimits, speechUsage, unreadUsage } from "./speech-usage.ts"
import { encodedFor, type SpeechReceived, synthesizeAt } from "./synthesize.ts"
import { audioEvent, doneEvent } from "../../../dialects/speech/stream.ts"
import {
  type BodyEnd,
  chargedBody,
  type Chunks,
  type Ending,
  EVENT_STREAM_HEADERS,
  keepLastChunk,
} from "../charged-body.ts"
import type { OpenOperation } from "../open-operation.ts"

/** Serves parsed requests to `POST /v1/audio/speech`, and charges for the audio. */
export class Speech {
  readonly #operations: Operations

  constructor(operations: Operations) {
    this.#operations = operations
  }

  /**
   * Converts the text of a request to speech.
   * @throws GatewayError, in which case nothing is held.
   */
  async respond(call: Call, options: SpeechOptions, caller: Caller): Promise<EndpointResponse> {
    const operation = this.#operations.prepare(call, caller)
    const plan = this.plan(call, options)
    await operation.admit(plan)
    const maxOutput = plan.max?.audioOutput
    const limited = maxOutput ? { ...options, maxOutput } : options
    const open = await operation.open({
      attempt: (candidate) => synthesizeAt(candidate, limited, call),
      unread: ({ unreadUsage: reported }) => unreadUsage(options, reported),
      mayHedge: true,
    })
    return answerSpeech(open, call)
  }

  /**
   * Returns the plan of a request, for an estimate or its hold.
   * @throws GatewayError if the request cannot be served.
   */
  plan(call: Call, options: SpeechOptions): OperationPlan {
    const { config } = this.#operations
    const asked = askedModel(config, options.model, "speech", call)
    const known = preferredModel(asked, { call, config, inputTokens: () => call.bodyBytes })
    const model = atNoExtraPrice(known, options.extra, config)
    rejectLong(options, model.maxInput)
    return {
      call,
      model,
      ...speechLimits(
        options,
        model,
        this.#isDirected(options, model),
        this.#someFormat(model, ({ billedCharacters }) => billedCharacters !== undefined),
      ),
      // The minimum is zero, because a response that breaks off is charged by the received audio.
      min: NO_USAGE,
      lossesAt: (candidate) => encodedFor(candidate, options).encoded.losses,
    }
  }

  #isDirected({ instructions }: SpeechOptions, model: Model): boolean {
    return (
      instructions !== undefined ||
      this.#someFormat(model, ({ readsDirections }) => readsDirections === true)
    )
  }

  /** Whether the format of any deployment meets a condition. */
  #someFormat({ deployments }: Model, condition: (format: SpeechFormat) => boolean): boolean {
    const { clients } = this.#operations.config
    return deployments.some((deployment) => {
      const format = clients.get(credentialIdOf(deployment))?.vendor.operations?.speech
      return format !== undefined && condition(format)
    })
  }
}

const CONTENT_TYPES: Readonly<Record<SoundForm, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
}

/** Returns the audio in the form that the caller requested. Its end is sent once the request is charged. */
function answerSpeech(open: OpenOperation<SpeechReceived>, call: Call): EndpointResponse {
  const { value, headers, deployment } = open
  const { request, form, received, attempt } = value
  const end = async (ending: Ending): Promise<BodyEnd> => {
    const { bytes, announced, usage: reported, billedCharacters } = received
    const amount = { request, form, bytes, announced, ending, reported, billedCharacters }
    const counted = speechUsage(amount, deployment.price)
    await open.settle(counted)
    return { isCharged: true, last: request.events ? doneEvent(counted.usage) : undefined }
  }
  Object.assign(
    headers,
    request.events ? EVENT_STREAM_HEADERS : { "content-type": CONTENT_TYPES[request.form] },
  )
  const chunks = request.events ? inEvents(value.chunks) : keepLastChunk(value.chunks)
  const hasErrorEvents = request.events
  return { headers, body: chargedBody({ attempt, chunks, call, hasErrorEvents, end }) }
}

async function* inEvents(chunks: AsyncIterable<Uint8Array>): Chunks {
  for await (const chunk of chunks) yield audioEvent(chunk)
  return undefined
}
