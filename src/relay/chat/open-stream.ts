import { asCallFailure, CallEnded, isFinal } from "../lifetime/call-failure.ts"
import { recordUnchargedCalls } from "../pipeline/cancellation.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import { recordState } from "./record-state.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { VendorState } from "../state/vendor-state.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { ChatContext } from "./chat-context.ts"
import {
  hedgingOf,
  modelNameOf,
  planFailure,
  planFor,
  rejectionsOf,
  requestOf,
} from "./chat-request.ts"
import { callCorrected, isRejected } from "./corrections.ts"
import { Meter } from "../metering/meter.ts"
import type { Plan } from "./plan.ts"
import { readingParts } from "./reading-parts.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"
import { ChoiceWriter, SeveralStreams } from "./several-streams.ts"
import { reportLostMedia } from "./lost-media.ts"
import { type StreamWriter, TranscodingWriter, VerbatimWriter } from "./stream-writer.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { isUnusable, meterOf, reportFewerChoices } from "./unread-response.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import { UpstreamStream } from "./upstream-stream.ts"
import type { ResponseStream } from "./response-stream.ts"

export interface OpeningServices {
  readonly pipeline: Pipeline
  readonly signer: ReasoningSigner
  readonly counter: TokenCounter
  readonly vendorState: VendorState
}

/** A plan with the counted usage of its calls. */
export interface Counted {
  readonly plan: Plan
  readonly meter: Meter
  readonly attempts: readonly Attempt<Plan>[]
}

/** A plan whose calls are running. */
interface Opened {
  readonly plan: Plan
  readonly recorder: StateRecorder | undefined
  readonly attempts: Attempt<Plan>[]
  /** The started streams of several calls, in no particular order. */
  readonly streams: UpstreamStream[]
  readonly writer: TranscodingWriter | undefined
}

/** Opens the upstream stream. Candidates are tried one after another, or in parallel with a late one. */
export class StreamOpening {
  readonly #services: OpeningServices
  readonly #context: ChatContext
  /**
   * Plans whose calls are running or ended together with the request. There are several while a second call runs in
   * parallel.
   */
  readonly #opened = new Set<Opened>()
  /** The plan whose calls started last. */
  #last: Opened | undefined
  /** The opened stream. The promise rejects with the CallFailure of the last attempt. */
  readonly stream: Promise<ResponseStream>

  constructor(services: OpeningServices, context: ChatContext) {
    this.#services = services
    this.#context = context
    this.stream = services.pipeline
      .tryCandidates(context, {
        ...hedgingOf(context),
        plan: (candidate) => planFor(context, candidate, services.signer),
        attempt: (first) =>
          first.calls === 1
            ? callCorrected(context, first, services.signer, this)
            : this.call(first),
      })
      .catch((failure: unknown) => this.#withoutFailed(failure))
  }

  /**
   * Returns the started choices of the last plan after another choice failed. Billed calls whose responses could not be
   * read are charged with them.
   * @throws CallFailure if no choice has started.
   */
  #withoutFailed(failure: unknown): ResponseStream {
    if (failure instanceof CallEnded) throw failure
    const { plan, streams = [], writer, attempts = [] } = this.#last ?? {}
    const { charge, cancellation } = this.#context
    if (plan === undefined || writer === undefined || streams.length === 0) {
      if (!isFinal(asCallFailure(failure))) recordUnchargedCalls(charge, cancellation.attempts)
      throw failure
    }
    const unread = attempts.filter(isUnusable)
    const started = streams.flatMap((stream) => stream.attempts)
    reportFewerChoices(this.#context, [...started, ...unread])
    return new SeveralStreams(plan, streams, writer, unreadMeters(charge, unread))
  }

  /**
   * Returns the plan whose calls were running when the request ended, with their counted usage. The caller may not have
   * received any text. Of two plans, the billable one is returned, and the operator pays for the other.
   * @param isBillable returns whether the usage is charged.
   */
  takeCounted(isBillable: (counted: Counted) => boolean): Counted | undefined {
    const counted = [...this.#opened]
      .map(({ plan, attempts }) => countedOf(this.#context.charge, plan, attempts))
      .filter(({ attempts }) => !attempts.every(isGivenUp))
    const charged = counted.find(isBillable)
    const others = counted.filter((each) => each !== charged)
    recordUnchargedCalls(
      this.#context.charge,
      others.flatMap(({ attempts }) => attempts),
    )
    return charged
  }

  /** Returns the stream of a plan, merged from several calls if the vendor returns one choice per call. */
  async call(plan: Plan): Promise<ResponseStream> {
    const { pipeline, signer, vendorState } = this.#services
    const context = this.#context
    const recorder = recordState(vendorState, context, plan)
    const writer = plan.calls === 1 ? undefined : transcodingWriter(context, plan, signer)
    const opened: Opened = { plan, recorder, attempts: [], streams: [], writer }
    this.#opened.add(opened)
    this.#last = opened
    try {
      if (!writer) return await this.#openCall(opened, plan, writerOf(context, plan, signer))
      const calls = Array.from({ length: plan.calls }, (_, choice) => async () => {
        const stream = await callCorrected(context, plan, signer, {
          call: (one) => this.#openCall(opened, one, new ChoiceWriter(writer, choice)),
        })
        opened.streams.push(stream)
        return stream
      })
      const streams = await pipeline.relatedCalls.withRetries(
        context,
        { deployment: plan.deployment, attempts: opened.attempts },
        calls,
      )
      return new SeveralStreams(plan, streams, writer)
    } catch (thrown) {
      const failure = planFailure(plan, thrown)
      if (!isFinal(failure)) this.#opened.delete(opened)
      throw failure
    }
  }

  /**
   * Makes one call, up to its first frames.
   * @param plan the plan of the other calls, or a corrected plan.
   */
  async #openCall(
    { recorder, attempts }: Opened,
    plan: Plan,
    writer: StreamWriter,
  ): Promise<UpstreamStream> {
    const { pipeline, counter } = this.#services
    const context = this.#context
    const attempt = pipeline.begin(context, plan)
    attempts.push(attempt)
    try {
      const response = await attempt.send(requestOf(context, plan), rejectionsOf(context, plan))
      const parts = readingParts(counter, context, attempt, recorder)
      const stream = await UpstreamStream.open(attempt, response, { ...parts, writer })
      attempt.succeed()
      return stream
    } catch (thrown) {
      throw attempt.fail(thrown)
    }
  }
}

/** Returns the counted usage of a plan's calls, except for calls that the provider rejected. */
function countedOf(charge: PendingCharge, plan: Plan, all: readonly Attempt<Plan>[]): Counted {
  const attempts = all.filter((attempt) => !isRejected(attempt))
  const meters = attempts.flatMap((attempt) =>
    isUnusable(attempt) ? meterOf(charge, attempt) : (attempt.meter ?? []),
  )
  return { plan, attempts, meter: Meter.sum(meters) }
}

/** Returns the counts of calls whose responses were read for their usage only. */
function unreadMeters(charge: PendingCharge, attempts: readonly Attempt<Plan>[]): Meter[] {
  return attempts.map((attempt) => {
    const meter = meterOf(charge, attempt)
    // Hidden reasoning is part of the requested output.
    meter.begunAt = undefined
    return meter
  })
}

/** Whether an attempt was replaced by another call. Its cost has then already been counted. */
function isGivenUp({ ended }: Attempt<Plan>): boolean {
  return ended instanceof CallEnded && ended.reason === "not_needed"
}

/**
 * Returns the writer of a stream. It forwards frames unchanged if caller and vendor use the same dialect, and otherwise
 * converts them through the canon.
 */
function writerOf(context: ChatContext, plan: Plan, signer: ReasoningSigner): StreamWriter {
  const { patches } = plan.binding.dialect
  if (!plan.isVerbatim || !patches) return transcodingWriter(context, plan, signer)
  const { dialect, request } = context
  const { streamUsage, choices } = request
  const model = modelNameOf(context, plan)
  return new VerbatimWriter(dialect, patches.frames({ model, streamUsage, choices }))
}

function transcodingWriter(
  context: ChatContext,
  plan: Plan,
  signer: ReasoningSigner,
): TranscodingWriter {
  const { charge, dialect, request } = context
  return new TranscodingWriter(dialect, dialect.encodeEvents(request), {
    model: modelNameOf(context, plan),
    signer,
    provider: plan.client.credentialId,
    dialect: plan.binding.dialect.id,
    onMedia: (media) => reportLostMedia(charge, dialect, media),
  })
}
