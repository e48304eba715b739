import type { ChatResult } from "../../canon/chat.ts"
import { asChargedError, GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { reportedErrorIn } from "../../canon/reported-error.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Billing } from "../billing/billing.ts"
import { ownCount } from "../billing/priced-usage.ts"
import { addResponseHeaders, shownProvider } from "../pipeline/response-headers.ts"
import type { EndpointResponse } from "../request/call.ts"
import { CallEnded, type CallFailure } from "../lifetime/call-failure.ts"
import type { Trial } from "../pipeline/trial.ts"
import { recordState } from "./record-state.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { OpeningServices } from "./open-stream.ts"
import type { Attempt, Candidate } from "../upstream/attempt.ts"
import { notJson } from "../upstream/collect-response.ts"
import { readJson } from "../upstream/read-response.ts"
import type { OwnLimits } from "../fitting/own-limits.ts"
import type { ChatContext } from "./chat-context.ts"
import { hedgingOf, planFailure, planFor, rejectionsOf, requestOf } from "./chat-request.ts"
import { callCorrected } from "./corrections.ts"
import type { Conversations } from "../state/conversations.ts"
import { foldResponse } from "./fold-response.ts"
import { estimateHidden } from "../metering/hidden-reasoning.ts"
import { limitedResult } from "./limited-result.ts"
import type { ResponseRecord } from "../metering/response-record.ts"
import { Meter } from "../metering/meter.ts"
import { type Plan, recordOf, wholePlan } from "./plan.ts"
import { readingParts } from "./reading-parts.ts"
import { reportedFailure } from "./reported-failure.ts"
import { restoredResult } from "../fitting/restored-response.ts"
import { isStreamed } from "./stream-type.ts"
import {
  isAnswered,
  isUnusable,
  meterOf as unreadMeterOf,
  reportFewerChoices,
  settleResponse,
  settleUnread,
} from "./unread-response.ts"
import { bodyOf, meterOf, type PlanCalls, type Received, reportLost } from "./whole-body.ts"

export interface WholeServices extends OpeningServices {
  readonly billing: Billing
  readonly conversations: Conversations
}

/**
 * Returns a whole response: the vendor's own response with the patches of its dialect, or a response that was converted
 * through the canon.
 */
export function answerWhole(
  services: WholeServices,
  context: ChatContext,
): Promise<EndpointResponse> {
  return new WholeResponse(services, context).respond()
}

/** A request for a whole response, and the plans that are tried for it. */
class WholeResponse implements Trial<Plan, PlanCalls> {
  readonly mayHedge: Trial<Plan, PlanCalls>["mayHedge"]
  readonly taken: Trial<Plan, PlanCalls>["taken"]
  readonly #services: WholeServices
  readonly #context: ChatContext
  readonly #tried: PlanCalls[] = []

  constructor(services: WholeServices, context: ChatContext) {
    this.#services = services
    this.#context = context
    const hedging = hedgingOf(context)
    this.mayHedge = hedging?.mayHedge
    this.taken = hedging?.taken
  }

  async respond(): Promise<EndpointResponse> {
    const context = this.#context
    const { pipeline, signer, conversations } = this.#services
    let calls: PlanCalls
    try {
      calls = await pipeline.tryCandidates(context, this)
    } catch (failure) {
      calls = await completedOf(this.#services, context, this.#tried, failure)
    } finally {
      context.cancellation[Symbol.dispose]()
    }
    const { charge, headers, keeping } = context
    const { plan } = calls
    if (!plan.isVerbatim) reportLost(context, calls)
    const isLate = calls.all.some(hasRest)
    const known = isLate ? await this.#settleLater(calls) : await this.#settle(calls)
    const provider = shownProvider(context.call, plan.client)
    const { cost, balance } = known
    addResponseHeaders(headers, { provider, losses: charge.losses, cost, balance })
    headers["content-type"] = "application/json"
    try {
      const response = bodyOf(context, calls, signer, known.counted)
      pipeline.keepPayload(context, response)
      if (keeping) await conversations.keep(keeping, response)
      const isLarge = !isShort(calls) && isLargeJson(response)
      const body = isLarge ? await jsonBytesInSlices(response) : JSON.stringify(response)
      return { headers, body }
    } catch (thrown) {
      throw asChargedError(thrown)
    }
  }

  plan(candidate: Candidate): MaybePromise<Plan> {
    return planFor(this.#context, candidate, this.#services.signer)
  }

  attempt(first: Plan): Promise<PlanCalls> {
    return first.calls === 1
      ? callCorrected(this.#context, first, this.#services.signer, this)
      : this.call(first)
  }

  /** Makes the calls of a plan: one call, or one call for each choice. */
  call(plan: Plan): Promise<PlanCalls> {
    const recorder = recordState(this.#services.vendorState, this.#context, plan)
    const calls: PlanCalls = { plan, recorder, attempts: [], all: [], unread: [] }
    this.#tried.push(calls)
    return plan.calls === 1 ? this.#receive(calls, plan) : this.#receiveAll(calls)
  }

  async #receiveAll(calls: PlanCalls): Promise<PlanCalls> {
    const { plan } = calls
    const { pipeline, signer } = this.#services
    const one = { call: (corrected: Plan) => this.#receive(calls, corrected) }
    const make = () => callCorrected(this.#context, plan, signer, one)
    await pipeline.relatedCalls.withRetries(
      this.#context,
      { deployment: plan.deployment, attempts: calls.attempts },
      Array.from({ length: plan.calls }, () => make),
    )
    return calls
  }

  /**
   * Makes one call. If a vendor rejects streaming, the call requests a whole response, which is the form that the
   * caller requested.
   */
  #receive(calls: PlanCalls, plan: Plan): Promise<PlanCalls> {
    return plan.request.stream ? this.#receiveStream(calls, plan) : this.#receiveOnce(calls, plan)
  }

  async #receiveStream(calls: PlanCalls, plan: Plan): Promise<PlanCalls> {
    try {
      return await this.#receiveOnce(calls, plan)
    } catch (rejection) {
      if (!isStreamRejected(rejection)) throw rejection
      return this.#receiveOnce(calls, wholePlan(plan))
    }
  }

  /** Makes one attempt. An unreadable response is a failed attempt, after which another deployment may respond. */
  async #receiveOnce(calls: PlanCalls, plan: Plan): Promise<PlanCalls> {
    const context = this.#context
    const { pipeline, counter } = this.#services
    const attempt = pipeline.begin(context, plan)
    calls.attempts.push(attempt)
    try {
      const response = await attempt.send(requestOf(context, plan), rejectionsOf(context, plan))
      let received: Received
      // Some servers stream a response although a whole response was requested.
      if (isStreamed(attempt, response)) {
        const parts = readingParts(counter, context, attempt, calls.recorder)
        const { result: reported, rest } = await foldResponse(attempt, response, parts)
        received = { reported, meter: parts.meter, rest }
      } else {
        const parsing = readJson(attempt, response)
        const json = parsing instanceof Promise ? await parsing : parsing
        const whole = readWhole(attempt, calls.recorder, context, json)
        const { limits } = plan
        received = limits ? { ...whole, reported: await this.#limited(whole, limits) } : whole
      }
      attempt.succeed()
      if (received.rest === undefined) attempt[Symbol.dispose]()
      calls.all.push(received)
      return calls
    } catch (thrown) {
      throw planFailure(plan, attempt.fail(thrown))
    }
  }

  #limited({ reported }: Received, limits: OwnLimits): Promise<ChatResult> {
    const { counter } = this.#services
    return limitedResult(reported, limits, counter.of(this.#context.call.key.account))
  }

  async #settle(calls: PlanCalls): Promise<KnownCharge> {
    const { plan } = calls
    const response = { plan, meter: meterOf(calls) }
    const { priced, charged, balance } = await settleResponse(
      this.#services,
      this.#context,
      response,
    )
    return { counted: ownCount(priced, plan.limits !== undefined), cost: charged, balance }
  }

  /**
   * Charges a response when its vendor has reported its usage. The caller already has the whole response and does not
   * wait.
   */
  async #settleLater(calls: PlanCalls): Promise<KnownCharge> {
    const { billing } = this.#services
    const { charge, call } = this.#context
    const { deployment } = calls.plan
    const memory = call.memory.handOver()
    // If the charge cannot be written, the ledger reports it.
    this.#settleRest(calls, memory).catch(() => undefined)
    const counted = await billing.pricing.countResponse({
      charge,
      deployment,
      meter: meterOf(calls),
    })
    return { counted, cost: undefined, balance: billing.balance(charge) }
  }

  async #settleRest(calls: PlanCalls, memory: Disposable): Promise<void> {
    using _ = memory
    const { plan, all } = calls
    await Promise.all(all.flatMap(({ rest }) => rest ?? []))
    const meter = meterOf(calls)
    const hidden = estimateHidden(plan, meter)
    await settleResponse(this.#services, this.#context, { plan, meter }, hidden)
  }
}

/** The parts of a response's charge that are known when the response is sent. */
interface KnownCharge {
  /** The usage that replaces the vendor's usage; undefined if the vendor's usage is charged. */
  readonly counted: Usage | undefined
  /** Cost in nanocredits; undefined if it is not known yet. */
  readonly cost: bigint | undefined
  /** The account's balance in nanocredits. */
  readonly balance: bigint
}

/** Whether the response is known to be short without measuring it, because the provider's own response is short. */
function isShort({ plan, all: [first] }: PlanCalls): boolean {
  return plan.isVerbatim && first?.isSmall === true
}

function hasRest({ rest }: Received): boolean {
  return rest !== undefined
}

/**
 * Returns the choices that the last plan completed although one of its calls failed. Billed calls whose responses could
 * not be read are charged with them.
 * @throws CallFailure if no choice is complete. Unread calls are charged before this error is thrown.
 */
async function completedOf(
  services: WholeServices,
  context: ChatContext,
  tried: readonly PlanCalls[],
  first: unknown,
): Promise<PlanCalls> {
  const last = tried.at(-1)
  const failure = first instanceof CallEnded ? first : (unreadFailure(tried) ?? first)
  const isPartial = last !== undefined && last.all.length > 0 && !(failure instanceof CallEnded)
  if (isPartial && last.attempts.some(isUnusable)) return besideUnread(context, last)
  if (await settleUnread(services, context, tried, failure)) {
    throw failure instanceof CallEnded ? failure : asChargedError(failure)
  }
  if (!isPartial) {
    services.pipeline.release(context)
    throw failure
  }
  reportFewerChoices(context, last.attempts.filter(isAnswered))
  return last
}

/** Returns the failure of a billed call whose response was not read, although another call may have failed first. */
function unreadFailure(tried: readonly PlanCalls[]): CallFailure | undefined {
  return tried.flatMap(({ attempts }) => attempts).find(isUnusable)?.ended
}

function besideUnread(context: ChatContext, calls: PlanCalls): PlanCalls {
  const billed = calls.attempts.filter((attempt) => attempt.isBilled || isAnswered(attempt))
  const unread = billed.filter((attempt) => !isAnswered(attempt))
  reportFewerChoices(context, billed)
  return { ...calls, unread: unread.map((attempt) => unreadMeterOf(context.charge, attempt)) }
}

/**
 * Whether a provider rejects streaming for this operator. OpenAI rejects it for unverified organizations. The gateway
 * requested the stream, although the caller did not.
 */
function isStreamRejected(rejection: unknown): boolean {
  return rejection instanceof GatewayError && rejection.details.providerError === "streaming"
}

function readWhole(
  attempt: Attempt<Plan>,
  recorder: StateRecorder | undefined,
  { charge }: ChatContext,
  json: JsonValue | undefined,
): Received {
  const { plan } = attempt
  const { restoration } = plan
  const meter = new Meter()
  attempt.meter = meter
  const record = recordOf(charge, plan)
  if (record) meter.records = [record]
  const { body, read } = decodedResponse(attempt, json, { meter, record })
  const reported = restoration === undefined ? read : restoredResult(read, restoration)
  recorder?.record(body)
  meter.result(reported)
  return { body, reported, meter, isSmall: attempt.isSmallResponse, rest: undefined }
}

interface ResponseCounts {
  readonly meter: Meter
  readonly record: ResponseRecord | undefined
}

/**
 * Decodes the body of a response.
 * @throws GatewayError if the body is not a response. Its provider may still bill it.
 */
function decodedResponse(
  attempt: Attempt<Plan>,
  json: JsonValue | undefined,
  { meter, record }: ResponseCounts,
): { readonly body: JsonObject; readonly read: ChatResult } {
  const { client, binding, request } = attempt.plan
  const { dialect } = binding
  const error = reportedErrorIn(json)
  const body = isJsonObject(json) ? json : undefined
  if (body) {
    record?.response(body)
    meter.reported = body
  }
  try {
    if (error !== undefined) throw reportedFailure(attempt, error)
    if (body) return { body, read: dialect.decodeResult(body, request) }
  } catch (failure) {
    if (body) meter.usage = dialect.usageIn(body)
    throw failure
  }
  throw notJson(client)
}
