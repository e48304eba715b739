import type { ListNode } from "../../canon/linked-list.ts"
import { afterCharge, asChargedError, GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { errorWithoutProviders } from "../../canon/provider-names.ts"
import type { Usage } from "../../canon/usage.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { encodeText, formatEvent, KEEP_ALIVE } from "../../wire/sse.ts"
import { ownCount } from "../billing/priced-usage.ts"
import { addResponseHeaders, shownProvider } from "../pipeline/response-headers.ts"
import type { EndpointResponse } from "../request/call.ts"
import type { DeadlineWatch, WatchedDeadline } from "../lifetime/deadline-watch.ts"
import {
  asCallFailure,
  billedResponseOf,
  CallEnded,
  type CallFailure,
  callerError,
  isResponseOver,
  isCallerGone,
  isFinal,
} from "../lifetime/call-failure.ts"
import type { ChatContext } from "./chat-context.ts"
import { estimateHidden, uncountedHidden } from "../metering/hidden-reasoning.ts"
import { type Counted, StreamOpening } from "./open-stream.ts"
import { StallLimit } from "../../limits/stall-limit.ts"
import type { StreamWriter } from "./stream-writer.ts"
import type { ResponseStream } from "./response-stream.ts"
import { countRequested, settleResponse } from "./unread-response.ts"
import type { WholeServices } from "./whole-response.ts"

type Controller = ReadableStreamDefaultController<Uint8Array>

export interface StreamServices extends WholeServices {
  readonly watch: DeadlineWatch
  readonly alarms: { requestFailed(request: string, error: unknown): void }
  /** Milliseconds after which a silent stream sends a comment. */
  readonly keepAlive: number
}

/**
 * Responds with a stream. The response starts when the first frame has arrived, so that an earlier failure is reported
 * as a status instead of a broken stream. However, no caller waits longer than the keep-alive interval for the start.
 */
export async function answerStreamed(
  services: StreamServices,
  context: ChatContext,
): Promise<EndpointResponse> {
  const response = new StreamedResponse(services, context)
  const upstream = await response.begin()
  const { headers, charge } = context
  addResponseHeaders(headers, {
    ...(upstream && { provider: shownProvider(context.call, upstream.plan.client) }),
    losses: charge.losses,
    balance: services.billing.balance(charge),
  })
  headers["content-type"] = "text/event-stream; charset=utf-8"
  headers["cache-control"] = "no-cache"
  headers["x-accel-buffering"] = "no"
  return { headers, body: new ReadableStream(response) }
}

type State =
  /** The caller waits for the upstream's stream to begin. */
  | "opening"
  /** The caller reads frames as they arrive. */
  | "open"
  /** The upstream has ended or failed. The caller still reads the last frames, or the error. */
  | "ended"
  /** The caller has disconnected. The upstream is drained for its usage. */
  | "draining"
  /** The caller has disconnected, and the upstream has ended. */
  | "left"

/**
 * The bytes of a streamed response, produced as fast as the caller reads. The stream ends in one of three ways: with
 * the last frame, after the charge is on disk; with a failure; or when the caller disconnects.
 */
class StreamedResponse implements WatchedDeadline {
  dueAt: number
  node: ListNode<WatchedDeadline> | undefined = undefined
  readonly #services: StreamServices
  readonly #context: ChatContext
  readonly #opening: StreamOpening
  readonly #keepAliveDue = Promise.withResolvers<undefined>()
  #upstream: ResponseStream | undefined
  /** The read that is in progress; undefined if there is none. */
  #reading: Promise<string> | undefined
  #controller: Controller | undefined
  #state: State = "opening"
  /** Ends the stream if the caller does not read its last frames. */
  #stall: StallLimit | undefined

  constructor(services: StreamServices, context: ChatContext) {
    this.#services = services
    this.#context = context
    this.#opening = new StreamOpening(services, context)
    this.dueAt = performance.now() + services.keepAlive
    services.watch.add(this)
    context.cancellation.onLeave = () => void this.cancel()
  }

  /** Whether the caller reads and the upstream has not ended. */
  get #isRunning(): boolean {
    return this.#state === "opening" || this.#state === "open"
  }

  get #hasLeft(): boolean {
    return this.#state === "draining" || this.#state === "left"
  }

  /**
   * Returns the upstream's stream, or undefined if the caller has waited too long.
   * @throws GatewayError if the stream cannot be opened. The hold has then been settled or released.
   */
  async begin(): Promise<ResponseStream | undefined> {
    try {
      const upstream = await Promise.race([this.#opening.stream, this.#keepAliveDue.promise])
      if (!this.#isRunning) throw new CallEnded("caller_disconnected")
      if (upstream !== undefined) this.#open(upstream)
      return upstream
    } catch (thrown) {
      const error = asCallFailure(thrown)
      // If the upstream is being drained, the drain settles the response.
      if (this.#isRunning) {
        this.#close("ended")
        this.#releaseMemory()
        const isCharged = await this.#settleDelivered(error)
        if (isCharged && error instanceof GatewayError) throw asChargedError(error)
      }
      throw error
    }
  }

  start(controller: Controller): void {
    this.#controller = controller
    // The comment is sent because the status and headers are only sent together with the first bytes.
    if (this.#state === "opening") controller.enqueue(KEEP_ALIVE)
  }

  #open(upstream: ResponseStream): ResponseStream {
    this.#upstream = upstream
    if (this.#state === "opening") this.#state = "open"
    return upstream
  }

  async pull(controller: Controller): Promise<void> {
    if (!this.#isRunning) return this.#pullBacklog(controller)
    try {
      const upstream = this.#upstream ?? this.#open(await this.#opening.stream)
      this.#context.charge.firstByteAt ??= performance.now()
      this.#reading = upstream.read()
      let text = await this.#reading
      // The caller has disconnected in the meantime.
      if (!this.#isRunning) return
      const isLast = upstream.isOver
      if (isLast) text += await this.#complete(upstream)
      if (this.#hasLeft) return
      if (text === "") text = upstream.writer.backlog?.take() ?? ""
      controller.enqueue(encodeText(text))
      this.dueAt = performance.now() + this.#services.keepAlive
      if (isLast) this.#finish(controller)
    } catch (thrown) {
      await this.#fail(controller, asCallFailure(thrown))
    }
  }

  /** Writes the remaining text of long final frames. */
  async #pullBacklog(controller: Controller): Promise<void> {
    const backlog = this.#upstream?.writer.backlog
    if (backlog?.isEmpty === false) {
      await ownTurn()
      if (this.#hasLeft) return
      controller.enqueue(encodeText(backlog.take()))
    }
    this.#finish(controller)
  }

  /** Closes the stream, unless the caller still has to read the rest of long frames. */
  #finish(controller: Controller): void {
    if (!this.#hasBacklog) {
      this.#context.call.onStreamEnd?.(this.#stall !== undefined)
      controller.close()
      return this.#releaseMemory()
    }
    this.#stall ??= new StallLimit(this.#context.call.memory, () => {
      this.#state = "left"
      controller.error(undefined)
      this.#releaseMemory()
    })
    this.#stall.restart()
  }

  #releaseMemory(): void {
    this.#stall?.[Symbol.dispose]()
    this.#context.call.memory[Symbol.dispose]()
  }

  get #hasBacklog(): boolean {
    return this.#upstream?.writer.backlog?.isEmpty === false
  }

  /** Handles a disconnect. It cancels the upstream and settles the delivered content, or drains the upstream. */
  async cancel(): Promise<void> {
    if (!this.#isRunning) {
      if (this.#state === "ended") this.#state = "left"
      this.#releaseMemory()
      return
    }
    if (this.#context.cancellation.drains) return this.#readOn()
    const reason = new CallEnded("caller_disconnected")
    this.#abandon(reason, "left")
    await this.#settleDelivered(reason)
  }

  /** Reads the upstream until it reports its usage, and discards the content. */
  async #readOn(): Promise<void> {
    const { cancellation, call } = this.#context
    this.#state = "draining"
    this.#services.watch.remove(this)
    using _ = call.memory.leaveSlot()
    cancellation.leave()
    let failure: CallFailure = new CallEnded("caller_disconnected")
    try {
      const upstream = (this.#upstream ??= await this.#opening.stream)
      await this.#reading
      while (!upstream.isOver && cancellation.drains && !upstream.isHoldSpent) await upstream.read()
      if (!upstream.isOver) throw failure
      cancellation[Symbol.dispose]()
      await upstream.rest
      this.#state = "left"
      void upstream.drain()
    } catch (thrown) {
      failure = asCallFailure(thrown)
      this.#abandon(failure, "left")
    }
    await this.#settleDelivered(failure)
  }

  onDue(now: number): void {
    this.dueAt = now + this.#services.keepAlive
    this.#keepAliveDue.resolve(undefined)
    const controller = this.#controller
    if (!controller) return
    const ended = this.#upstream?.attempts
      .map((attempt) => attempt.ended)
      .find((reason) => reason !== undefined && !isResponseOver(reason))
    if ((controller.desiredSize ?? 0) > 0) {
      // No comment is sent within a frame, because it would corrupt the frame.
      if (!this.#hasBacklog) controller.enqueue(KEEP_ALIVE)
    }
    // The caller has stopped reading, so no read will detect that the upstream's deadline has passed.
    else if (ended) void this.#fail(controller, ended)
  }

  onCut(reason: CallFailure): void {
    const controller = this.#controller
    // If the caller is reading, the read in progress reports the error.
    if (controller && (controller.desiredSize ?? 0) <= 0) void this.#fail(controller, reason)
  }

  /** Completes the response. Its last byte is sent only after the charge is on disk. */
  async #complete(upstream: ResponseStream): Promise<string> {
    const { plan, writer } = upstream
    if (upstream.rest) return this.#completeEarly(upstream)
    this.#close("ended")
    void upstream.drain()
    const { priced, charged } = await this.#settle(upstream)
    return this.#end(writer, ownCount(priced, plan.limits !== undefined), charged)
  }

  /**
   * Completes a response that the caller has received completely. It is charged when the vendor's usage arrives, and
   * the caller does not wait for the charge.
   */
  async #completeEarly(upstream: ResponseStream): Promise<string> {
    const { charge, call } = this.#context
    const memory = call.memory.leaveSlot()
    this.#close("ended")
    void upstream.drain()
    void this.#settleLater(upstream, memory)
    const { plan, meter, writer } = upstream
    const delivered = { charge, deployment: plan.deployment, meter }
    return this.#end(writer, await this.#services.billing.pricing.countResponse(delivered))
  }

  async #settleLater(upstream: ResponseStream, memory: Disposable): Promise<void> {
    using _ = memory
    await upstream.rest
    // If the charge cannot be written, the ledger reports it.
    await this.#settle(upstream).catch(() => undefined)
  }

  /**
   * Returns the last frames of a charged response. The response is stored before these frames are sent, because the
   * caller may continue from it immediately.
   */
  async #end(writer: StreamWriter, usage: Usage | undefined, cost?: bigint): Promise<string> {
    const { keeping } = this.#context
    try {
      if (usage) writer.setUsage(usage)
      if (!keeping) return writer.end(cost)
      let last: JsonObject | undefined
      const text = writer.end(cost, (frame) => (last = frame))
      if (last) await this.#services.conversations.keep(keeping, last)
      return text
    } catch (thrown) {
      throw asChargedError(thrown)
    }
  }

  /** Ends the stream with the dialect's own error, so that a failure never looks like success to the caller. */
  async #fail(controller: Controller, failure: CallFailure): Promise<void> {
    const { alarms } = this.#services
    const { call, dialect, request } = this.#context
    const cleaned = this.#upstream?.plan.client.cleaned(failure) ?? failure
    const reported = callerError(cleaned)
    if (reported.kind === "internal_error") alarms.requestFailed(call.id, reported.cause)
    let isCharged = false
    if (this.#isRunning) {
      this.#abandon(cleaned, "ended")
      isCharged = await this.#settleDelivered(cleaned)
    }
    const shown = call.hidesCosts === true ? errorWithoutProviders(reported) : reported
    const error = isCharged ? asChargedError(shown) : shown
    const writer = this.#upstream?.writer
    const text = writer
      ? writer.fail(error, call.id)
      : dialect.encodeEvents(request).fail(error, call.id).map(formatEvent).join("")
    try {
      controller.enqueue(encodeText(text === "" ? (writer?.backlog?.take() ?? "") : text))
      this.#finish(controller)
    } catch {
      // The caller has also disconnected.
      this.#releaseMemory()
    }
  }

  /**
   * Charges delivered content, and usage that the provider bills before delivery: its reported usage, and the input if
   * the caller has disconnected. A call that failed before its response started is never charged, because another call
   * may have been made.
   * @returns whether anything was charged.
   */
  async #settleDelivered(reason: CallFailure): Promise<boolean> {
    const opening = this.#opening
    const hasFailed = reason instanceof GatewayError && !this.#hasLeft
    // Waits for the attempt to end, because its end writes the outcome to the receipt.
    const upstream = this.#upstream ?? (await opening.stream.catch(() => undefined))
    const hasLeft = this.#hasLeft || isCallerGone(reason)
    const isUnusable = billedResponseOf(reason) !== undefined
    const isBillable = ({ plan, meter, attempts }: Counted): boolean =>
      meter.isBillable ||
      isUnusable ||
      (hasLeft && (attempts.some(({ isBilled }) => isBilled) || estimateHidden(plan, meter) > 0))
    const counted = upstream ?? (isFinal(reason) ? opening.takeCounted(isBillable) : undefined)
    if (counted === undefined || !isBillable(counted)) {
      this.#services.pipeline.release(this.#context)
      return false
    }
    if (isUnusable && counted === upstream) {
      const { meter, plan } = counted
      for (const part of meter.parts.length > 0 ? meter.parts : [meter]) {
        countRequested(part, this.#context.charge, plan)
      }
    }
    // If a failed upstream did not report usage, it is unknown whether it generated hidden reasoning.
    await this.#settle(counted, hasFailed ? 0 : undefined)
    return true
  }

  /**
   * Charges the received part of a plan's response, and stores its text for accounts with storage enabled.
   * @param hidden reasoning tokens that the provider bills but did not report; estimated by default.
   */
  async #settle(
    counted: Omit<Counted, "attempts">,
    hidden = uncountedHidden(counted.plan, counted.meter),
  ) {
    const context = this.#context
    const settled = await settleResponse(this.#services, context, counted, hidden)
    if (context.call.key.storesContent) {
      afterCharge(() => this.#services.pipeline.keepPayload(context, counted.meter.text))
    }
    return settled
  }

  #abandon(reason: CallFailure, state: "ended" | "left"): void {
    this.#context.cancellation.end(reason)
    this.#close(state)
    for (const attempt of this.#upstream?.attempts ?? []) attempt.breakOff(reason)
  }

  #close(state: "ended" | "left"): void {
    this.#state = state
    this.#services.watch.remove(this)
    this.#context.cancellation[Symbol.dispose]()
    // The last frames occupy memory until the caller has read them.
    if (state === "left") this.#releaseMemory()
  }
}
