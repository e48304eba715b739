import type { Writable } from "../../canon/writable.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { TimeoutSettings } from "../../config/settings.ts"
import { LentMemory } from "../../limits/lent-memory.ts"
import { CallDeadlines, type TimedCall } from "./call-deadlines.ts"
import type { DeadlineWatch } from "../lifetime/deadline-watch.ts"
import { asCallFailure, CallEnded, type CallFailure } from "../lifetime/call-failure.ts"
import type { AttemptFailure, LoggedFailure } from "../../telemetry/events.ts"
import type { AttemptTrace, RequestTrace } from "../request/request-trace.ts"
import { failureWords } from "../../routing/failure-words.ts"
import type { Health } from "../../routing/health.ts"
import type { Load } from "../../routing/loads.ts"
import type { FrameMemory } from "../../wire/frames.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import { ConnectionError, connectionErrorOf } from "../../wire/http/connection-error.ts"
import type { HttpRequest } from "../../wire/http/request.ts"
import type { Sending } from "../../wire/http/sending.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import { billsAbandoned } from "../../vendors/abandoned-calls.ts"
import { hidesReasoning } from "../metering/hidden-reasoning.ts"
import type { Meter } from "../metering/meter.ts"
import { formatCredits } from "../../ledger/money.ts"
import { CHARACTERS_OF_TOKEN, failedCallCost } from "../billing/provider-cost.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import { type RejectionReader, rejectionOf } from "./rejection.ts"

const NOT_FOUND = 404
/** The lowest status of responses that providers do not bill. */
const FIRST_REJECTION = 400

/** The deployment and the client of a call. */
export interface Candidate {
  readonly deployment: Deployment
  readonly client: ProviderClient
  /** The request of a chat as it is sent. */
  readonly request?: { readonly stream: boolean }
}

/** Events that are reported to the operator. */
export interface AttemptAlarms {
  /** Called if an attempt failed for a reason that neither the gateway nor the request itself has caused. */
  attemptFailed(request: string, deployment: string, failure: LoggedFailure): void
  /**
   * Called with every failure, including rejections of the request itself. The failure contains the vendor's own
   * message.
   */
  attemptEnded(failure: AttemptFailure): void
}

interface AttemptParts<T extends Candidate> {
  readonly plan: T
  readonly load: Load
  /** Start time of the request, as returned by `performance.now()`. */
  readonly begunAt: number
  readonly client: HttpClient
  readonly timeouts: TimeoutSettings
  readonly watch: DeadlineWatch
  readonly health: Pick<Health, "accountFailed" | "ended" | "failed">
  readonly alarms: AttemptAlarms
  /** The id of the request. */
  readonly request: string
  /** Maximum bytes of a whole response. */
  readonly responseBytes: number
  /** The memory that is reserved for the request, or for the call alone if another call may replace it. */
  readonly memory: FrameMemory
  /** Whether the caller receives a stream. */
  readonly isStream: boolean
  /** The number of the request in the event-loop monitor. */
  readonly work: number
  /** The trace of the request; absent if the request is not traced. */
  readonly trace?: RequestTrace | undefined
}

/**
 * One upstream call: its request, its deadlines, and the only way to end it early. It ends with `succeed` or `fail`. If
 * a response is read later, it may still end with `breakOff`. The object must be disposed of when the response has
 * ended.
 */
export class Attempt<T extends Candidate> implements TimedCall, Disposable {
  readonly plan: T
  /** The record of the attempt on the receipt. It is completed when the attempt has ended. */
  readonly record: Writable<AttemptRecord>
  /** Start time of the attempt, as returned by `performance.now()`. */
  readonly startedAt = performance.now()
  readonly memory: FrameMemory
  readonly responseBytes: number
  readonly work: number
  readonly deadlines: CallDeadlines
  readonly #parts: AttemptParts<T>
  /** The load of the deployment; undefined once the attempt has ended. */
  #load: Load | undefined
  readonly #trace: AttemptTrace | undefined
  /** The counts of the received part of a chat response. */
  meter: Meter | undefined
  /** The members with the usage of a response that was too large or too complex to be parsed. */
  usageMembers: JsonObject | undefined
  /** Whether the response arrived whole, in a few kilobytes. */
  isSmallResponse = false
  #sending: Sending | undefined
  #ended: CallFailure | undefined
  /** Whether the gateway ended the attempt or did not read the whole response. */
  #isEndedHere = false
  /** The message in which the vendor rejected the request. */
  #words: string | undefined

  constructor(parts: AttemptParts<T>) {
    this.plan = parts.plan
    this.record = { deployment: parts.plan.deployment.id, status: 0, outcome: "ok", duration: 0 }
    this.#parts = parts
    this.#load = parts.load
    parts.load.begin()
    this.responseBytes = parts.responseBytes
    this.memory = parts.memory
    this.work = parts.work
    this.#trace = parts.trace?.begin(parts.plan, this.record)
    this.deadlines = new CallDeadlines(this, parts)
  }

  /**
   * Sends a request.
   * @param rejections reads the vendor's error responses.
   * @returns the successful response. Its body has not been read.
   * @throws CallFailure in all other cases, which must be passed to `fail`.
   */
  send(
    request: HttpRequest | Promise<HttpRequest>,
    rejections: RejectionReader,
  ): Promise<HttpResponse> {
    return request instanceof Promise
      ? request.then((signed) => this.send(signed, rejections))
      : this.receive(this.#parts.client.send(this.#traced(request)), rejections)
  }

  #traced(request: HttpRequest): HttpRequest {
    return this.#trace?.carriedBy(request) ?? request
  }

  /** Receives the response like `send`, for a request that has already been sent. */
  async receive(sending: Sending, rejections: RejectionReader): Promise<HttpResponse> {
    this.#sending = sending
    if (this.#ended) sending.abort()
    let response: HttpResponse
    try {
      response = await sending.response
    } catch (error) {
      throw this.explain(error)
    }
    this.record.status = response.status
    this.deadlines.answered()
    if (!response.ok) throw this.#meaning(await rejectionOf(this, response, rejections))
    this.#load?.began(performance.now() - this.startedAt, this.#parts.isStream)
    return response
  }

  /**
   * Returns `model_not_found` if the provider rejects a model that is also unknown to the catalog, because the caller
   * named the model. Other errors are returned unchanged.
   */
  #meaning(rejection: GatewayError): GatewayError {
    const { isAssumed, upstreamModel } = this.plan.deployment
    const isUnknown =
      this.record.status === NOT_FOUND || rejection.details.providerError === "model"
    if (isAssumed !== true || !isUnknown) return rejection
    return new GatewayError(
      "model_not_found",
      `The model \`${upstreamModel}\` is not known here, and provider '${this.provider}' has no model of that name. GET /v1/models lists the known models.`,
      { parameter: "model" },
    )
  }

  /** Records that bytes have arrived. */
  received(): void {
    this.deadlines.received()
  }

  get isConnected(): boolean {
    return this.#sending?.isConnected ?? true
  }

  /** Whether the provider may have counted hidden reasoning that it has not reported. */
  get hidesUncounted(): boolean {
    return !this.#ended && this.meter?.isCounted !== true && hidesReasoning(this.plan)
  }

  get hasUnknownUsage(): boolean {
    if (this.#ended) return false
    if (this.hidesUncounted) return true
    const { isCounted = false, finished: isFinished = false } = this.meter ?? {}
    const { client, request } = this.plan
    const isKnown = isCounted && isFinished
    return !isKnown && billsAbandoned(client.vendor.id, request?.stream === true)
  }

  /**
   * Whether the provider bills the call although its usage may be missing, because the provider accepted the call and
   * the gateway then ended it.
   */
  get isBilled(): boolean {
    const { status } = this.record
    const isTaken = status === 0 ? this.#sending?.isConnected === true : status < FIRST_REJECTION
    return isTaken && this.#isEndedHere
  }

  get provider(): string {
    return this.plan.client.provider
  }

  /** Returns the vendor's message without the operator's secrets. */
  cleanedText(text: string): string {
    return this.plan.client.cleanedText(text)
  }

  /** Stores the vendor's message of a rejection, without the operator's secrets. */
  rejected(words: string): void {
    this.#words = words
  }

  /** Returns a failure with the operator's secrets removed from the vendor's message. */
  cleaned(failure: CallFailure): CallFailure {
    return this.plan.client.cleaned(failure)
  }

  /** Records that the whole response has been received. */
  succeed(): void {
    this.conclude("ok")
  }

  /**
   * Ends the call as failed, and records the cause on the receipt.
   * @returns the failure, to be reported to the caller that waits for the response.
   */
  fail(thrown: unknown): CallFailure {
    const ended = this.#ended
    // After the gateway has ended a call, the vendor's response is not a failure.
    const failure = ended instanceof CallEnded ? ended : this.cleaned(asCallFailure(thrown))
    if (failure instanceof GatewayError && failure.details.billedResponse) this.#isEndedHere = true
    this.#stop(failure)
    this[Symbol.dispose]()
    this.breakOff(failure)
    return failure
  }

  /** Records and reports that the call, or a response that had started, did not reach its end. */
  breakOff(failure: CallFailure): void {
    const { deployment } = this.plan
    const { health } = this.#parts
    if (failure instanceof CallEnded) {
      this.conclude(failure.reason)
      return health.ended(deployment.id)
    }
    this.conclude(failure.kind)
    this.#reportFailure(failure)
    // The deployment is healthy, because the vendor rejected the request itself.
    const { kind, details } = failure
    const isRejection = kind === "rejected_by_upstream" || kind === "model_not_found"
    if (isRejection || details.rejected !== undefined) return health.ended(deployment.id)
    this.#reportUnhealthy(failure)
  }

  #reportUnhealthy(failure: GatewayError): void {
    const { health, alarms, request } = this.#parts
    const { id, isAssumed } = this.plan.deployment
    const { status } = this.record
    const cause = failureWords(failure, status)
    this.record.cause = cause
    // Callers choose the names of unknown models, so for these models only failures of the account are stored.
    if (isAssumed === true) health.accountFailed(id, failure, status)
    else health.failed(id, failure, status)
    const facts = connectionFacts(failure)
    alarms.attemptFailed(request, id, { outcome: failure.kind, status, cause, ...facts })
  }

  #reportFailure(failure: GatewayError): void {
    const { deployment, status } = this.record
    const { alarms, request } = this.#parts
    alarms.attemptEnded({
      request,
      deployment,
      status,
      kind: failure.kind,
      code: failure.details.upstream?.code,
      message: this.#words ?? this.cleanedText(causeOf(failure)),
    })
  }

  /**
   * Records the attempt as not charged. The record includes its provider cost, which the operator bears.
   * @param sent the input that the provider may have counted without reporting usage.
   */
  lost(sent: Usage): void {
    const { usage, characters = 0 } = this.meter ?? {}
    const output = Math.ceil(characters / CHARACTERS_OF_TOKEN)
    const billed = this.isBilled ? { ...sent, output: sent.output + output } : undefined
    const cost = failedCallCost(usage ?? billed, this.plan.deployment.price)
    if (cost !== undefined) this.record.provider_cost = formatCredits(cost)
  }

  /**
   * Ends the call because another call has responded. This does not count as a failure of the deployment.
   * @param sent the input that the provider may have counted without reporting usage.
   */
  giveUp(sent: Usage): void {
    const isAnswered = this.record.status !== 0
    const ended = new CallEnded("not_needed")
    if (!isAnswered) this.#load?.outlasted(performance.now() - this.startedAt, this.#parts.isStream)
    this.end(ended)
    this.breakOff(ended)
    this[Symbol.dispose]()
    if (this.memory instanceof LentMemory) this.memory[Symbol.dispose]()
    this.lost(sent)
  }

  /**
   * Completes the record.
   * @param outcome `ok`, a kind of error, or the reason why the gateway ended the call.
   */
  conclude(outcome: string): void {
    this.#trace?.answered()
    this.record.outcome = outcome
    this.record.duration = Math.round(performance.now() - this.startedAt)
  }

  /** The failure that ended the call; undefined while the call runs, and after it succeeded. */
  get ended(): CallFailure | undefined {
    return this.#ended
  }

  /** Ends the call. Pending operations fail with `failure`. */
  end(failure: CallFailure): void {
    if (this.#ended) return
    this.#isEndedHere = true
    this.#stop(failure)
  }

  #stop(failure: CallFailure): void {
    if (this.#ended) return
    this.#ended = failure
    this.#sending?.abort()
  }

  /** Converts a transport error, depending on whether the gateway or the vendor ended the call. */
  explain(error: unknown): CallFailure {
    if (this.#ended) return this.#ended
    if (error instanceof GatewayError) return error
    return new GatewayError(
      "upstream_error",
      `The connection to provider '${this.provider}' failed. Nothing more was received. Try again.`,
      { cause: connectionErrorOf(error, { isAnswered: this.record.status !== 0 }) },
    )
  }

  [Symbol.dispose](): void {
    this.#trace?.ended()
    if (this.#load?.isTimed === true && this.record.outcome === "ok") {
      const { output = 0 } = this.meter?.usage ?? {}
      this.#load.produced(output, performance.now() - this.startedAt)
    }
    this.#load?.end()
    this.#load = undefined
    this.deadlines[Symbol.dispose]()
  }
}

/** Returns the actual cause, if the error that callers receive does not contain it. */
function causeOf(failure: GatewayError): string {
  const { cause } = failure.details
  return cause instanceof Error ? cause.message : failure.message
}

/** Returns the phase and the code of a failed connection. */
function connectionFacts({ details }: GatewayError): Pick<LoggedFailure, "phase" | "code"> {
  const { cause } = details
  return cause instanceof ConnectionError ? { phase: cause.phase, code: cause.code } : {}
}
