import { asGatewayError, type GatewayError } from "../canon/errors.ts"
import { encodeText, formatEvent, KEEP_ALIVE } from "../wire/sse.ts"
import { addAnswerHeaders } from "./answer-headers.ts"
import { callUpstream } from "./attempts.ts"
import type { Answer } from "./call.ts"
import type { Watched } from "./deadline-watch.ts"
import { CALLER_LEFT, correctRate, type Exchange, giveUp, type RelayServices } from "./exchange.ts"
import { type Plan, recordOf } from "./plan.ts"
import { recordState } from "./record-state.ts"
import { ChoiceWriter, SeveralStreams } from "./several-streams.ts"
import { RecordingDecoder } from "./state-recorder.ts"
import { type StreamWriter, TranscodingWriter, VerbatimWriter } from "./stream-writer.ts"
import { brokeOff } from "./upstream-call.ts"
import { type AnswerStream, type StreamParts, UpstreamStream } from "./upstream-stream.ts"

type Controller = ReadableStreamDefaultController<Uint8Array>

/**
 * A streamed answer. It begins when the first frame is here, so that a failure before that is a
 * status and not a broken stream; but no caller waits longer than the keep-alive for the beginning.
 */
export async function answerStreamed(services: RelayServices, exchange: Exchange): Promise<Answer> {
  const answer = new StreamedAnswer(services, exchange, openStream(services, exchange))
  const upstream = await answer.begin()
  const { headers, bill } = exchange
  addAnswerHeaders(headers, {
    ...(upstream && { provider: upstream.plan.endpoint.provider }),
    losses: bill.losses,
    balance: services.billing.balance(bill),
  })
  headers["content-type"] = "text/event-stream; charset=utf-8"
  headers["cache-control"] = "no-cache"
  headers["x-accel-buffering"] = "no"
  return { headers, body: new ReadableStream(answer) }
}

/** The upstream's stream; several as one, where the vendor gives one choice at a time. */
async function openStream(services: RelayServices, exchange: Exchange): Promise<AnswerStream> {
  let writer: StreamWriter | undefined
  const { plan, all } = await callUpstream(services, exchange, (plan) => {
    const shared = writerOf(exchange, plan)
    const recorder = recordState(services, exchange, plan)
    const reading = (): Pick<StreamParts, "decoder" | "record"> => {
      const decoder = plan.offer.dialect.decodeEvents(plan.request)
      return {
        decoder: recorder ? new RecordingDecoder(decoder, recorder) : decoder,
        record: recordOf(exchange.bill, plan),
      }
    }
    writer = shared
    if (!(shared instanceof TranscodingWriter) || plan.calls === 1) {
      return (attempt, response) =>
        UpstreamStream.open(attempt, response, { ...reading(), writer: shared })
    }
    return (attempt, response, choice) => {
      const parts = { ...reading(), writer: new ChoiceWriter(shared, choice) }
      return UpstreamStream.open(attempt, response, parts)
    }
  })
  const [only] = all
  if (all.length === 1 && only) return only
  return new SeveralStreams(plan, all, writer as TranscodingWriter)
}

function writerOf(exchange: Exchange, plan: Plan): VerbatimWriter | TranscodingWriter {
  const { dialect, request, seal } = exchange
  const { patches } = plan.offer.dialect
  if (plan.isVerbatim && patches) {
    const { model, streamUsage } = request
    return new VerbatimWriter(dialect, patches.frames({ model, streamUsage }))
  }
  return new TranscodingWriter(dialect, dialect.encodeEvents(request), {
    model: request.model,
    seal,
    provider: plan.endpoint.provider,
    dialect: plan.offer.dialect.id,
  })
}

/**
 * The bytes of a streamed answer, pulled as fast as the caller reads. Exactly one of three things
 * ends it: the last frame, after its charge is on disk; a failure; or the caller's leaving.
 */
class StreamedAnswer implements Watched {
  dueAt: number
  readonly #services: RelayServices
  readonly #exchange: Exchange
  readonly #opening: Promise<AnswerStream>
  readonly #patience = Promise.withResolvers<undefined>()
  #upstream: AnswerStream | undefined
  #controller: Controller | undefined
  #over = false

  constructor(services: RelayServices, exchange: Exchange, opening: Promise<AnswerStream>) {
    this.#services = services
    this.#exchange = exchange
    this.#opening = opening
    this.dueAt = performance.now() + services.keepAlive
    services.watch.add(this)
  }

  /**
   * The upstream's stream, or undefined when it lets the caller wait too long.
   * @throws GatewayError when there is none; then nothing is held any more.
   */
  async begin(): Promise<AnswerStream | undefined> {
    try {
      this.#upstream = await Promise.race([this.#opening, this.#patience.promise])
      return this.#upstream
    } catch (error) {
      this.#close()
      giveUp(this.#services, this.#exchange)
      throw error
    }
  }

  start(controller: Controller): void {
    this.#controller = controller
    // The status and headers leave only with the first bytes.
    if (!this.#upstream) controller.enqueue(KEEP_ALIVE)
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const upstream = (this.#upstream ??= await this.#opening)
      this.#exchange.bill.firstByteAt ??= performance.now()
      let text = await upstream.read()
      // The caller has left meanwhile.
      if (this.#over) return
      if (upstream.isOver) text += await this.#complete(upstream)
      controller.enqueue(encodeText(text))
      this.dueAt = performance.now() + this.#services.keepAlive
      if (this.#over) controller.close()
    } catch (thrown) {
      await this.#fail(controller, asGatewayError(thrown))
    }
  }

  /** The caller left: the upstream is let go, and what was delivered is settled. */
  async cancel(): Promise<void> {
    if (this.#over) return
    this.#abandon(CALLER_LEFT)
    await this.#settleDelivered()
  }

  onDue(now: number): void {
    this.dueAt = now + this.#services.keepAlive
    this.#patience.resolve(undefined)
    const controller = this.#controller
    if (!controller) return
    const ended = this.#upstream?.attempts.find((attempt) => attempt.ended)?.ended
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(KEEP_ALIVE)
    // The caller has stopped reading, so no read will find out that the upstream's time is over.
    else if (ended) void this.#fail(controller, ended)
  }

  onCut(reason: GatewayError): void {
    const controller = this.#controller
    // Who reads hears of it by the read that is under way.
    if (controller && (controller.desiredSize ?? 0) <= 0) void this.#fail(controller, reason)
  }

  /** The last byte goes out only when its charge is on disk. */
  async #complete(upstream: AnswerStream): Promise<string> {
    const { billing, limiter } = this.#services
    const { bill, call } = this.#exchange
    this.#close()
    void upstream.drain()
    const { deployment } = upstream.plan
    const reckoned = billing.reckon(bill, deployment, upstream.meter)
    const reckoning = reckoned instanceof Promise ? await reckoned : reckoned
    const settlement = await billing.settle(bill, deployment, reckoning)
    correctRate(limiter, call, reckoning.usage)
    this.#keepContent(upstream)
    return upstream.writer.end(settlement.charged)
  }

  /** Never a silent success: the caller is told in the dialect's own words, then the stream ends. */
  async #fail(controller: Controller, failure: GatewayError): Promise<void> {
    const { call, dialect, request } = this.#exchange
    const error = this.#upstream?.plan.endpoint.cleaned(failure) ?? failure
    if (!this.#over) {
      if (error.kind === "internal_error") this.#services.alarms.requestFailed(call.id, error.cause)
      this.#abandon(error)
      await this.#settleDelivered()
    }
    const writer = this.#upstream?.writer
    const text = writer
      ? writer.fail(error, call.id)
      : dialect.encodeEvents(request).fail(error, call.id).map(formatEvent).join("")
    try {
      controller.enqueue(encodeText(text))
      controller.close()
    } catch {
      // The caller has left too: nobody is there to be told.
    }
  }

  async #settleDelivered(): Promise<void> {
    const { billing, limiter } = this.#services
    const { bill, call } = this.#exchange
    const upstream = this.#upstream
    // An attempt that ends tells the receipt how.
    if (!upstream) await this.#opening.catch(() => {})
    if (!upstream?.meter.delivered) return giveUp(this.#services, this.#exchange)
    const { deployment } = upstream.plan
    const reckoning = await billing.reckon(bill, deployment, upstream.meter)
    await billing.settle(bill, deployment, reckoning)
    correctRate(limiter, call, reckoning.usage)
    this.#keepContent(upstream)
  }

  #keepContent({ meter }: AnswerStream): void {
    const { call } = this.#exchange
    if (call.key.storesContent) this.#services.contents.keep(call, call.body, meter.text)
  }

  #abandon(reason: GatewayError): void {
    const { leash } = this.#exchange
    leash.end(reason)
    this.#close()
    for (const attempt of this.#upstream?.attempts ?? []) {
      brokeOff(this.#services, this.#exchange.call.id, attempt, reason)
    }
  }

  #close(): void {
    this.#over = true
    this.#services.watch.remove(this)
    this.#exchange.leash[Symbol.dispose]()
    this.#exchange.call.memory[Symbol.dispose]()
  }
}
