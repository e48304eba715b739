import { isDeepStrictEqual } from "node:util"
import type { Transcript, TranscriptionRequest } from "../../../canon/transcription.ts"
import type { Model } from "../../../catalog/model.ts"
import type { EndpointResponse, Call, Caller } from "../../request/call.ts"
import type { RuntimeConfig } from "../../request/runtime-config.ts"
import type { Operation } from "../operation.ts"
import type { Admission, OperationPlan } from "../operation-plan.ts"
import { formatOf } from "../vendor-format.ts"
import { modelOf, needsTranslator } from "./models.ts"
import { transcribeAt, transcriptionPlan, type TranscriptReceived } from "./transcribe.ts"
import {
  transcriptionLimits,
  transcriptionUsage,
  unreadUsage,
  withOutputLimit,
} from "./transcription-usage.ts"
import { translate, translationPlans } from "./translation.ts"
import type { CountedOperationServices } from "../operations.ts"
import { afterCharge } from "../../../canon/errors.ts"
import { renderEvents, renderTranscript } from "../../../dialects/transcription/result.ts"
import { type BodyEnd, chargedBody, EVENT_STREAM_HEADERS } from "../charged-body.ts"
import type { OpenOperation } from "../open-operation.ts"

/** Serves parsed requests to `POST /v1/audio/transcriptions` and `/translations`, and charges for the text. */
export class Transcriptions {
  readonly #services: CountedOperationServices

  constructor(services: CountedOperationServices) {
    this.#services = services
  }

  /** Returns a transcription for a request that may not have arrived completely. */
  prepare(call: Call, caller: Caller): Transcription {
    return new Transcription(this.#services, call, caller)
  }

  /**
   * Returns the plans of a request: one for the model, and one for the translator if another model must translate the
   * text.
   * @throws GatewayError if the request cannot be served.
   */
  plan(call: Call, request: TranscriptionRequest): OperationPlan[] {
    const { config } = this.#services.operations
    const model = modelOf(call, request, config)
    if (needsTranslator(request, model, config)) {
      return translationPlans(this.#services, { call, request, model })
    }
    return [transcriptionPlan({ call, request, model }, config)]
  }
}

/**
 * A request to transcribe an audio file. The upstream call may start while the file is still arriving. The object must
 * always be disposed of, which releases a remaining hold.
 */
export class Transcription implements Disposable {
  readonly #services: CountedOperationServices
  readonly #call: Call
  readonly #caller: Caller
  readonly #operation: Operation
  /** The request for which the hold was placed. It is used if no further fields follow the file. */
  #expected: TranscriptionRequest | undefined

  constructor(services: CountedOperationServices, call: Call, caller: Caller) {
    this.#services = services
    this.#call = call
    this.#caller = caller
    this.#operation = services.operations.prepare(call, caller)
  }

  /**
   * Holds the maximum cost of the file while it is still arriving, and forwards the file as it arrives.
   * @param expected the request if no further fields follow the file.
   * @throws the reason why the file cannot be sent early. The request can still be served.
   */
  async begin(expected: TranscriptionRequest): Promise<void> {
    const { config } = this.#services.operations
    const model = modelOf(this.#call, expected, config)
    if (needsTranslator(expected, model, config)) return
    const limited = withOutputLimit(expected, model)
    await this.#operation.admit(admissionOf(limited, model, config))
    this.#expected = limited
    const candidate = this.#operation.first
    const format = formatOf(candidate, "transcription")
    const { calls, losses } = await format.encode(limited, candidate.deployment.upstreamModel)
    const [call] = calls
    if (!call || (this.#call.isStrict && losses.length > 0)) return
    await this.#operation.speculate(candidate, call, expected.audio.file)
  }

  /**
   * Responds to the request after it has arrived completely.
   * @throws GatewayError, in which case nothing is held.
   */
  async respond(request: TranscriptionRequest): Promise<EndpointResponse> {
    const call = this.#call
    const operation = this.#operation
    const expected = this.#expected
    let limited: TranscriptionRequest
    if (expected && isSame(expected, request)) {
      limited = { ...expected, audio: request.audio }
    } else {
      const { config } = this.#services.operations
      const model = modelOf(call, request, config)
      if (needsTranslator(request, model, config)) return this.#translated(request, model)
      limited = withOutputLimit(request, model)
      await operation.admit(admissionOf(limited, model, config))
    }
    const open = await operation.open({
      attempt: (candidate) => transcribeAt(candidate, limited, call),
      unread: (candidate) => unreadUsage(request, candidate),
    })
    return answerTranscription(open, request, call)
  }

  async #translated(request: TranscriptionRequest, model: Model): Promise<EndpointResponse> {
    const input = { call: this.#call, request, model }
    const translation = await translate(this.#services, input, this.#operation, this.#caller)
    return renderedResponse(translation.transcript, request, translation.headers)
  }

  [Symbol.dispose](): void {
    this.#operation[Symbol.dispose]()
  }
}

function admissionOf(
  request: TranscriptionRequest,
  model: Model,
  { clients }: RuntimeConfig,
): Admission {
  return { model, ...transcriptionLimits(request, model, clients), isWhole: !request.stream }
}

/**
 * Whether a request matches the expectation: no fields followed the file, and the file is not longer than the hold
 * covers.
 */
function isSame(expected: TranscriptionRequest, request: TranscriptionRequest): boolean {
  const isLonger = request.audio.maxSeconds > expected.audio.maxSeconds
  return !isLonger && isDeepStrictEqual(essence(expected), essence(request))
}

function essence(request: TranscriptionRequest): object {
  const { audio, maxOutput: _, ...fields } = request
  return { ...fields, container: audio.container, bytes: audio.file.size }
}

/** Returns the response to a transcription. The request is charged before the end of the response is sent. */
async function answerTranscription(
  open: OpenOperation<TranscriptReceived>,
  request: TranscriptionRequest,
  call: Call,
): Promise<EndpointResponse> {
  const { value, headers, deployment } = open
  if (value.type === "stream") {
    Object.assign(headers, EVENT_STREAM_HEADERS)
    const { response, reader, chunks } = value
    const end = async (): Promise<BodyEnd> => {
      await open.settle(transcriptionUsage(reader, request, deployment))
      return { isCharged: true }
    }
    const { attempt } = response
    return { headers, body: chargedBody({ attempt, chunks, call, hasErrorEvents: true, end }) }
  }
  const { transcript } = value
  await open.settle(transcriptionUsage(transcript, request, deployment))
  return renderedResponse(transcript, request, headers)
}

/** Returns a whole transcript in the requested format, after it was charged. */
function renderedResponse(
  transcript: Transcript,
  request: TranscriptionRequest,
  headers: Record<string, string>,
): EndpointResponse {
  return afterCharge(() => {
    if (request.stream) {
      Object.assign(headers, EVENT_STREAM_HEADERS)
      return { headers, body: renderEvents(transcript, request) }
    }
    const { contentType, body } = renderTranscript(transcript, request)
    headers["content-type"] = contentType
    return { headers, body }
  })
}
