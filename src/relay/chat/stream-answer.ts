import type { Place } from "../../canon/linked-list.ts"
import { asGatewayError, type GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { encodeText, formatEvent, KEEP_ALIVE } from "../../wire/sse.ts"
import { addAnswerHeaders } from "../pipeline/answer-headers.ts"
import { callUpstream } from "./attempts.ts"
import type { Answer } from "../pipeline/call.ts"
import type { Watched } from "../pipeline/deadline-watch.ts"
import {
  ANSWER_OVER,
  CALLER_LEFT,
  correctRate,
  type Exchange,
  giveUp,
  isFinal,
  type RelayServices,
} from "../pipeline/exchange.ts"
import { Meter } from "./meter.ts"
import type { Plan } from "./plan.ts"
import { ownCount } from "../billing/priced-usage.ts"
import { recordState } from "../state/record-state.ts"
import { ChoiceWriter, SeveralStreams } from "./several-streams.ts"
import { type ReadingParts, readingParts } from "./reading-parts.ts"
import { type StreamWriter, TranscodingWriter, VerbatimWriter } from "./stream-writer.ts"
import { brokeOff } from "../upstream/upstream-call.ts"
import { type AnswerStream, UpstreamStream } from "./upstream-stream.ts"

type Controller = ReadableStreamDefaultController<Uint8Array>

/**
 * A streamed answer. It begins when the first frame is here, so that a failure before that is a
 * status and not a broken stream; but no caller waits longer than the keep-alive for the beginning.
 */
export async function answerStreamed(services: RelayServices, exchange: Exchange): Promise<Answer> {
  const answer = new StreamedAnswer(services, exchange)
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

/** What a plan has delivered, and what its vendor has counted. */
interface Counted {
  readonly plan: Plan
  readonly meters: readonly Meter[]
}

/**
 * The upstream's stream; several as one, where the vendor gives one choice at a time.
 * @param began told of what is counted, also while nothing has come that the caller could read.
 */
async function openStream(
  services: RelayServices,
  exchange: Exchange,
  began: (counted: Counted) => void,
): Promise<AnswerStream> {
  let writer: StreamWriter | undefined
  const { plan, all } = await callUpstream<UpstreamStream>(services, exchange, (plan) => {
    const shared = writerOf(exchange, plan)
    const recorder = recordState(services, exchange, plan)
    const meters: Meter[] = []
    const counting = (): ReadingParts => {
      const parts = readingParts(services, exchange, plan, recorder)
      meters.push(parts.meter)
      return parts
    }
    writer = shared
    began({ plan, meters })
    if (!(shared instanceof TranscodingWriter) || plan.calls === 1) {
      return (attempt, response) =>
        UpstreamStream.open(attempt, response, { ...counting(), writer: shared })
    }
    return (attempt, response, choice) =>
      UpstreamStream.open(attempt, response, {
        ...counting(),
        writer: new ChoiceWriter(shared, choice),
      })
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
  place: Place<Watched> | undefined = undefined
  readonly #services: RelayServices
  readonly #exchange: Exchange
  readonly #opening: Promise<AnswerStream>
  readonly #patience = Promise.withResolvers<undefined>()
  #upstream: AnswerStream | undefined
  /** What has been counted of the call that is being opened, or was last. */
  #begun: Counted | undefined
  /** A read that is under way. */
  #reading: Promise<string> | undefined
  #controller: Controller | undefined
  #over = false

  constructor(services: RelayServices, exchange: Exchange) {
    this.#services = services
    this.#exchange = exchange
    this.#opening = openStream(services, exchange, (counted) => {
      this.#begun = counted
    })
    this.dueAt = performance.now() + services.keepAlive
    services.watch.add(this)
    exchange.leash.onLeave = () => void this.cancel()
  }

  /**
   * The upstream's stream, or undefined when it lets the caller wait too long.
   * @throws GatewayError when there is none; then nothing is held any more.
   */
  async begin(): Promise<AnswerStream | undefined> {
    try {
      const upstream = await Promise.race([this.#opening, this.#patience.promise])
      if (this.#over) throw CALLER_LEFT
      this.#upstream = upstream
      return upstream
    } catch (thrown) {
      const error = asGatewayError(thrown)
      // An answer that is read on has its money ended there.
      if (!this.#over) {
        this.#close()
        await this.#settleDelivered(error)
      }
      throw error
    }
  }

  start(controller: Controller): void {
    this.#controller = controller
    // The status and headers leave only with the first bytes.
    if (!this.#upstream) controller.enqueue(KEEP_ALIVE)
  }

  async pull(controller: Controller): Promise<void> {
    if (this.#over) return controller.close()
    try {
      const upstream = (this.#upstream ??= await this.#opening)
      this.#exchange.bill.firstByteAt ??= performance.now()
      this.#reading = upstream.read()
      let text = await this.#reading
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

  /** The caller left: the upstream is let go, and what was delivered is settled; or it is read on. */
  async cancel(): Promise<void> {
    if (this.#over) return
    if (this.#exchange.leash.drains) return this.#readOn()
    this.#abandon(CALLER_LEFT)
    await this.#settleDelivered(CALLER_LEFT)
  }

  /** To the vendor's usage, with nobody to read it: what comes is counted, and not kept. */
  async #readOn(): Promise<void> {
    const { leash } = this.#exchange
    this.#over = true
    this.#services.watch.remove(this)
    leash.leave()
    let failure = CALLER_LEFT
    try {
      const upstream = (this.#upstream ??= await this.#opening)
      await this.#reading
      while (!upstream.isOver) await upstream.read()
      leash[Symbol.dispose]()
      void upstream.drain()
    } catch (thrown) {
      failure = asGatewayError(thrown)
      this.#abandon(failure)
    }
    await this.#settleDelivered(failure)
  }

  onDue(now: number): void {
    this.dueAt = now + this.#services.keepAlive
    this.#patience.resolve(undefined)
    const controller = this.#controller
    if (!controller) return
    const ended = this.#upstream?.attempts
      .map((attempt) => attempt.ended)
      .find((reason) => reason !== undefined && reason !== ANSWER_OVER)
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
    this.#keepContent(upstream.meter)
    const usage = ownCount(reckoning, upstream.plan.limits !== undefined)
    if (usage) upstream.writer.setUsage(usage)
    return this.#end(upstream.writer, settlement.charged)
  }

  /** The last words. What is kept of the answer is kept before they go out: its caller may go on at once. */
  async #end(writer: StreamWriter, cost: bigint): Promise<string> {
    const { keeping } = this.#exchange
    if (!keeping) return writer.end(cost)
    let last: JsonObject | undefined
    const text = writer.end(cost, (frame) => (last = frame))
    if (last) await this.#services.conversations.keep(keeping, last)
    return text
  }

  /** Never a silent success: the caller is told in the dialect's own words, then the stream ends. */
  async #fail(controller: Controller, failure: GatewayError): Promise<void> {
    const { call, dialect, request } = this.#exchange
    const error = this.#upstream?.plan.endpoint.cleaned(failure) ?? failure
    if (!this.#over) {
      if (error.kind === "internal_error") this.#services.alarms.requestFailed(call.id, error.cause)
      this.#abandon(error)
      await this.#settleDelivered(error)
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

  /**
   * Charges what was delivered, or what the vendor has counted before that. A call that has failed
   * before its answer began is nobody's to pay, and another may have been made.
   */
  async #settleDelivered(reason: GatewayError): Promise<void> {
    const { billing, limiter } = this.#services
    const { bill, call } = this.#exchange
    // An attempt that ends tells the receipt how.
    const upstream = this.#upstream ?? (await this.#opening.catch(() => undefined))
    const begun = isFinal(reason) ? this.#begun : undefined
    const plan = upstream?.plan ?? begun?.plan
    const meter = upstream?.meter ?? Meter.sum(begun?.meters ?? [])
    if (!plan || !meter.isBillable) return giveUp(this.#services, this.#exchange)
    const reckoning = await billing.reckon(bill, plan.deployment, meter)
    await billing.settle(bill, plan.deployment, reckoning)
    correctRate(limiter, call, reckoning.usage)
    this.#keepContent(meter)
  }

  #keepContent(meter: Meter): void {
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
