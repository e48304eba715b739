import type { Pipeline } from "../pipeline/pipeline.ts"
import { recordState } from "../state/record-state.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { VendorState } from "../state/vendor-state.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { ChatContext } from "./chat-context.ts"
import { modelNameOf, planFailure, planFor, refusalsOf, requestOf } from "./chat-request.ts"
import { Meter } from "./meter.ts"
import type { Plan } from "./plan.ts"
import { readingParts } from "./reading-parts.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"
import { ChoiceWriter, SeveralStreams } from "./several-streams.ts"
import { type StreamWriter, TranscodingWriter, VerbatimWriter } from "./stream-writer.ts"
import { UpstreamStream } from "./upstream-stream.ts"
import { type AnswerStream } from "./answer-stream.ts"

export interface OpeningServices {
  readonly pipeline: Pipeline
  readonly signer: ReasoningSigner
  readonly counter: TokenCounter
  readonly vendorState: VendorState
}

/** A plan whose calls are made. */
interface Opened {
  readonly plan: Plan
  readonly recorder: StateRecorder | undefined
  /** What each call has delivered, and what its vendor has counted. */
  readonly meters: Meter[]
}

/** The upstream's stream while it is opened, one candidate after the other. */
export class StreamOpening {
  readonly #services: OpeningServices
  readonly #context: ChatContext
  #opened: Opened | undefined
  /** Rejects with the GatewayError of the last failure. */
  readonly stream: Promise<AnswerStream>

  constructor(services: OpeningServices, context: ChatContext) {
    this.#services = services
    this.#context = context
    this.stream = services.pipeline.tryCandidates(
      context,
      (candidate) => planFor(context, candidate, services.signer),
      (plan) => this.#open(plan),
    )
  }

  /** The plan whose calls are being made, or were last. */
  get plan(): Plan | undefined {
    return this.#opened?.plan
  }

  /** What is counted of that, also while nothing has come that the caller could read. */
  get meter(): Meter {
    return Meter.sum(this.#opened?.meters ?? [])
  }

  /** The stream of a plan; several as one, where the vendor gives one choice at a time. */
  async #open(plan: Plan): Promise<AnswerStream> {
    const { pipeline, signer, vendorState } = this.#services
    const context = this.#context
    const recorder = recordState(vendorState, context, plan)
    const opened: Opened = { plan, recorder, meters: [] }
    this.#opened = opened
    try {
      if (plan.calls === 1) return await this.#openCall(opened, writerOf(context, plan, signer))
      const writer = transcodingWriter(context, plan, signer)
      const calls = Array.from(
        { length: plan.calls },
        (_, choice) => () => this.#openCall(opened, new ChoiceWriter(writer, choice)),
      )
      const streams = await pipeline.together(context, calls)
      return new SeveralStreams(plan, streams, writer)
    } catch (thrown) {
      throw planFailure(plan, thrown)
    }
  }

  /** One call, up to its first frames. */
  async #openCall(opened: Opened, writer: StreamWriter): Promise<UpstreamStream> {
    const { pipeline, counter } = this.#services
    const context = this.#context
    const { plan, recorder, meters } = opened
    const attempt = pipeline.begin(context, plan)
    try {
      const response = await attempt.send(requestOf(context, plan), refusalsOf(context, plan))
      const parts = readingParts(counter, context, plan, recorder)
      meters.push(parts.meter)
      attempt.meter = parts.meter
      const stream = await UpstreamStream.open(attempt, response, { ...parts, writer })
      attempt.succeed()
      return stream
    } catch (thrown) {
      throw attempt.fail(thrown)
    }
  }
}

/** Frames go down as they came where caller and vendor speak the same dialect, else through the canon. */
function writerOf(context: ChatContext, plan: Plan, signer: ReasoningSigner): StreamWriter {
  const { patches } = plan.binding.dialect
  if (!plan.isVerbatim || !patches) return transcodingWriter(context, plan, signer)
  const { dialect, request } = context
  const { streamUsage } = request
  const model = modelNameOf(context, plan)
  return new VerbatimWriter(dialect, patches.frames({ model, streamUsage }))
}

function transcodingWriter(
  context: ChatContext,
  plan: Plan,
  signer: ReasoningSigner,
): TranscodingWriter {
  const { dialect, request } = context
  return new TranscodingWriter(dialect, dialect.encodeEvents(request), {
    model: modelNameOf(context, plan),
    signer,
    provider: plan.client.provider,
    dialect: plan.binding.dialect.id,
  })
}
