import type { PatchedFrame, ResultPatch, SseFrame } from "../canon/dialect.ts"
import { asGatewayError, type GatewayError } from "../canon/errors.ts"
import type { JsonObject } from "../canon/json.ts"
import { formatCredits } from "../ledger/money.ts"
import { encodeText, formatEvent, KEEP_ALIVE } from "../wire/sse.ts"
import { addAnswerHeaders } from "./answer-headers.ts"
import type { Answer } from "./call.ts"
import type { Watched } from "./deadline-watch.ts"
import { brokeOff, callUpstream } from "./attempts.ts"
import { CALLER_LEFT, correctRate, type Exchange, giveUp, type RelayServices } from "./exchange.ts"
import { UpstreamStream } from "./upstream-stream.ts"

type Controller = ReadableStreamDefaultController<Uint8Array>

/**
 * A streamed answer on the verbatim path. It begins when the first frame is here, so that a failure
 * before that is a status and not a broken stream; but no caller waits longer than the keep-alive
 * for the beginning.
 */
export async function streamVerbatim(services: RelayServices, exchange: Exchange): Promise<Answer> {
  const opening = callUpstream(services, exchange, UpstreamStream.open)
  const answer = new StreamedAnswer(services, exchange, opening)
  const upstream = await answer.begin()
  const { headers, bill } = exchange
  addAnswerHeaders(headers, {
    ...(upstream && { provider: upstream.attempt.endpoint.provider }),
    losses: bill.losses,
    balance: services.billing.balance(bill),
  })
  headers["content-type"] = "text/event-stream; charset=utf-8"
  headers["cache-control"] = "no-cache"
  headers["x-accel-buffering"] = "no"
  return { headers, body: new ReadableStream(answer) }
}

/**
 * The bytes of a streamed answer, pulled as fast as the caller reads. Exactly one of three things
 * ends it: the last frame, after its charge is on disk; a failure; or the caller's leaving.
 */
class StreamedAnswer implements Watched {
  dueAt: number
  readonly #services: RelayServices
  readonly #exchange: Exchange
  readonly #opening: Promise<UpstreamStream>
  readonly #patch: ResultPatch
  readonly #patience = Promise.withResolvers<undefined>()
  #upstream: UpstreamStream | undefined
  #controller: Controller | undefined
  /** The frame in which the cost is to stand, kept back until it is known to be the last such one. */
  #usageCarrier: JsonObject | undefined
  #over = false

  constructor(services: RelayServices, exchange: Exchange, opening: Promise<UpstreamStream>) {
    this.#services = services
    this.#exchange = exchange
    this.#opening = opening
    const { model, streamUsage } = exchange.request
    this.#patch = { model, streamUsage }
    this.dueAt = Date.now() + services.keepAlive
    services.watch.add(this)
  }

  /**
   * The upstream's stream, or undefined when it lets the caller wait too long.
   * @throws GatewayError when there is none; then nothing is held any more.
   */
  async begin(): Promise<UpstreamStream | undefined> {
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
      const text = await this.#next()
      if (text === undefined) return
      controller.enqueue(encodeText(text))
      this.dueAt = Date.now() + this.#services.keepAlive
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
    const ended = this.#upstream?.attempt.ended
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(KEEP_ALIVE)
    // The caller has stopped reading, so no read will find out that the upstream's time is over.
    else if (ended) void this.#fail(controller, ended)
  }

  /** Text to send next, never empty; undefined when the caller has left meanwhile. */
  async #next(): Promise<string | undefined> {
    const upstream = (this.#upstream ??= await this.#opening)
    this.#exchange.bill.firstByteAt ??= Date.now()
    for (;;) {
      const frames = await upstream.read()
      if (this.#over) return undefined
      if (!frames) return this.#complete(upstream, "[DONE]")
      const forwarded = this.#forward(upstream, frames)
      const text = typeof forwarded === "string" ? forwarded : await forwarded
      if (text !== "") return text
    }
  }

  /** At once, but for the last frame: most frames have nothing to wait for. */
  #forward(upstream: UpstreamStream, frames: readonly SseFrame[]): string | Promise<string> {
    const { patches } = this.#exchange.dialect
    let text = ""
    for (const frame of frames) {
      const patched = patches.frame(frame, this.#patch)
      if (patched.action === "forward") text += this.#keepUsageBack(patched)
      if (patched.action === "last") {
        const before = text
        return this.#complete(upstream, patched.data).then((rest) => before + rest)
      }
    }
    return text
  }

  /** A frame with usage waits for the next one: the cost stands in the last of them. */
  #keepUsageBack(patched: PatchedFrame): string {
    if (patched.isAside) return formatEvent({ data: patched.data })
    const before = this.#releaseUsage()
    if (!patched.usageCarrier) return before + formatEvent({ data: patched.data })
    this.#usageCarrier = patched.usageCarrier
    return before
  }

  #releaseUsage(cost?: bigint): string {
    const carrier = this.#usageCarrier
    if (!carrier) return ""
    this.#usageCarrier = undefined
    if (cost !== undefined) this.#exchange.dialect.patches.setCost(carrier, formatCredits(cost))
    return formatEvent({ data: JSON.stringify(carrier) })
  }

  /** The last byte goes out only when its charge is on disk. */
  async #complete(upstream: UpstreamStream, lastData: string): Promise<string> {
    const { billing, limiter } = this.#services
    const { bill, call } = this.#exchange
    this.#close()
    void upstream.drain()
    const reckoned = billing.reckon(bill, upstream.attempt.deployment, upstream.meter)
    const reckoning = reckoned instanceof Promise ? await reckoned : reckoned
    const settlement = await billing.settle(bill, upstream.attempt.deployment, reckoning)
    correctRate(limiter, call, reckoning.usage)
    return this.#releaseUsage(settlement.charged) + formatEvent({ data: lastData })
  }

  /** Never a silent success: the caller is told in the dialect's own words, then the stream ends. */
  async #fail(controller: Controller, error: GatewayError): Promise<void> {
    const { dialect, call } = this.#exchange
    if (!this.#over) {
      if (error.kind === "internal_error") this.#services.alarms.requestFailed(call.id, error.cause)
      this.#abandon(error)
      await this.#settleDelivered()
    }
    const frames = dialect.encodeStreamError(error, call.id)
    try {
      controller.enqueue(encodeText(this.#releaseUsage() + frames.map(formatEvent).join("")))
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
    const { deployment } = upstream.attempt
    const reckoning = await billing.reckon(bill, deployment, upstream.meter)
    await billing.settle(bill, deployment, reckoning)
    correctRate(limiter, call, reckoning.usage)
  }

  #abandon(reason: GatewayError): void {
    this.#close()
    const { attempt } = this.#exchange.leash
    attempt?.end(reason)
    attempt?.[Symbol.dispose]()
    const answering = this.#upstream?.attempt
    if (answering) brokeOff(this.#services, this.#exchange, answering, reason)
  }

  #close(): void {
    this.#over = true
    this.#services.watch.remove(this)
  }
}
