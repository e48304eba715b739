import type { ChatResult, Choice } from "../../canon/chat.ts"
import type { Part } from "../../canon/message.ts"
import { afterCharge, asChargedError, GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { reportedErrorIn } from "../../canon/reported-error.ts"
import type { Usage } from "../../canon/usage.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Billing } from "../billing/billing.ts"
import { ownCount } from "../billing/priced-usage.ts"
import { addAnswerHeaders } from "../pipeline/answer-headers.ts"
import type { Answer } from "../request/call.ts"
import { CallEnded } from "../lifetime/call-failure.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import { recordState } from "./state/record-state.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { VendorState } from "../state/vendor-state.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { ChatContext } from "./chat-context.ts"
import {
  hedgingOf,
  modelNameOf,
  planFailure,
  planFor,
  refusalsOf,
  requestOf,
} from "./chat-request.ts"
import { callCorrected } from "./corrections.ts"
import type { Conversations } from "../state/conversations.ts"
import { foldAnswer } from "./fold-answer.ts"
import { estimateHidden } from "../metering/hidden-reasoning.ts"
import { limitedResult } from "./limited-result.ts"
import { reportLostMedia } from "./lost-media.ts"
import { Meter } from "../metering/meter.ts"
import { type Plan, recordOf, wholePlan } from "./plan.ts"
import { readingParts } from "./reading-parts.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"
import { reportedFailure } from "./reported-failure.ts"
import { restoredResult } from "../fitting/restored-answer.ts"
import { isStreamed } from "./stream-type.ts"
import { isAnswered, loseOthers, settleUnread, type TriedPlan } from "./unread-answer.ts"

export interface WholeServices {
  readonly pipeline: Pipeline
  readonly billing: Billing
  readonly signer: ReasoningSigner
  readonly counter: TokenCounter
  readonly vendorState: VendorState
  readonly conversations: Conversations
}

/** What one call gave. */
interface Received {
  /** As the vendor wrote it; absent where it was asked for a stream. */
  readonly body?: JsonObject
  /** As much of it as is the caller's. */
  readonly reported: ChatResult
  readonly meter: Meter
  /** As of `FoldedAnswer`. */
  readonly rest?: Promise<void> | undefined
}

/** What the calls of a plan gave: one, or one for each choice. */
interface ReceivedPlan {
  readonly plan: Plan
  readonly all: readonly Received[]
  /** Of all of them together. */
  readonly meter: Meter
}

/** The calls of a plan, and the complete answers. */
interface PlanCalls extends TriedPlan {
  readonly all: Received[]
}

/** A whole answer: as the vendor wrote it but for the named patches, or through the canon. */
export async function answerWhole(services: WholeServices, context: ChatContext): Promise<Answer> {
  const { pipeline, signer, conversations } = services
  const { charge, headers, keeping } = context
  const tried: PlanCalls[] = []
  let received: ReceivedPlan
  try {
    received = await pipeline.tryCandidates(context, {
      ...hedgingOf(context),
      plan: (candidate) => planFor(context, candidate, signer),
      attempt(first) {
        const make = (plan: Plan): Promise<ReceivedPlan> => {
          const calls: PlanCalls = { plan, attempts: [], all: [] }
          tried.push(calls)
          return receivePlan(services, context, calls)
        }
        return first.calls === 1 ? callCorrected(context, first, signer, make) : make(first)
      },
    })
  } catch (failure) {
    received = await completedOf(services, context, tried, failure)
  } finally {
    context.cancellation[Symbol.dispose]()
  }
  const { plan, all } = received
  if (!plan.isVerbatim) reportLost(context, received)
  const settling = all.some(({ rest }) => rest !== undefined) ? settleLater : settleNow
  const { counted, cost, balance } = await settling(services, context, received)
  addAnswerHeaders(headers, {
    provider: plan.client.provider,
    losses: charge.losses,
    ...(cost !== undefined && { cost }),
    balance,
  })
  headers["content-type"] = "application/json"
  const answer = afterCharge(() => bodyOf(context, received, signer, counted))
  pipeline.keepPayload(context, answer)
  if (keeping) await conversations.keep(keeping, answer)
  const body = isLargeJson(answer) ? await jsonBytesInSlices(answer) : JSON.stringify(answer)
  return { headers, body }
}

/**
 * Returns the choices that the last plan completed although one of its calls failed.
 * @throws CallFailure if no choice is complete, after unread calls were charged.
 */
async function completedOf(
  services: WholeServices,
  context: ChatContext,
  tried: readonly PlanCalls[],
  failure: unknown,
): Promise<ReceivedPlan> {
  if (await settleUnread(services, context, tried, failure)) throw asChargedError(failure)
  const last = tried.at(-1)
  if (last === undefined || last.all.length === 0 || failure instanceof CallEnded) {
    services.pipeline.release(context)
    throw failure
  }
  const { charge } = context
  charge.losses = [...charge.losses, { name: "n", effect: "approximated" }]
  loseOthers(context, last.attempts.filter(isAnswered))
  return { plan: last.plan, all: last.all, meter: meterOf(last.all) }
}

/** Reports what of an answer its caller cannot be given. */
function reportLost({ charge, dialect }: ChatContext, { all }: ReceivedPlan): void {
  for (const { reported } of all) {
    for (const part of reported.choices.flatMap(({ parts }) => parts)) {
      if (part.type === "image" || part.type === "audio") reportLostMedia(charge, dialect, part)
    }
  }
}

/** The money of an answer, as far as it is known when the answer is released. */
interface KnownCharge {
  /** Replaces the vendor's usage. */
  readonly counted: Usage | undefined
  /** Nanocredits. */
  readonly cost?: bigint
  /** Nanocredits. */
  readonly balance: bigint
}

async function settleNow(
  { pipeline, billing }: WholeServices,
  context: ChatContext,
  { plan, meter }: ReceivedPlan,
): Promise<KnownCharge> {
  const pricing = billing.pricing.priceAnswer(context.charge, plan.deployment, meter)
  const { priced, settlement } = await pipeline.settle(context, plan.deployment, pricing)
  const counted = ownCount(priced, plan.limits !== undefined)
  return { counted, cost: settlement.charged, balance: settlement.balance }
}

/** Has an answer charged when its vendor has counted it: its caller has all of it, and does not wait for that. */
async function settleLater(
  { pipeline, billing }: WholeServices,
  context: ChatContext,
  { plan, all, meter }: ReceivedPlan,
): Promise<KnownCharge> {
  const { charge, call } = context
  const { deployment } = plan
  const memory = call.memory.handOver()
  const settle = async (): Promise<void> => {
    using _ = memory
    await Promise.all(all.flatMap(({ rest }) => rest ?? []))
    const last = meterOf(all)
    const hidden = estimateHidden(plan, last)
    const pricing = billing.pricing.priceAnswer(charge, deployment, last, hidden)
    await pipeline.settle(context, deployment, pricing)
  }
  // The ledger reports a charge that cannot be written.
  settle().catch(() => undefined)
  const counted = await billing.pricing.countAnswer({ charge, deployment, meter })
  return { counted, balance: billing.balance(charge) }
}

/** What several calls have delivered together. */
function meterOf(all: readonly Received[]): Meter {
  const [first, ...others] = all
  return first && others.length === 0 ? first.meter : Meter.sum(all.map(({ meter }) => meter))
}

/** @param counted replaces the vendor's usage where that is not what is charged. */
function bodyOf(
  context: ChatContext,
  { plan, all, meter }: ReceivedPlan,
  signer: ReasoningSigner,
  counted: Usage | undefined,
): JsonObject {
  const [first] = all
  return plan.isVerbatim && first?.body
    ? patchedBody(context, plan, first.body, counted)
    : encodedBody(context, plan, signed(merged(all, meter), signer, plan), counted)
}

function patchedBody(
  context: ChatContext,
  plan: Plan,
  body: JsonObject,
  counted: Usage | undefined,
): JsonObject {
  const { dialect, request } = context
  const { streamUsage, choices } = request
  const model = modelNameOf(context, plan)
  plan.binding.dialect.patches?.result(body, { model, streamUsage, choices })
  if (counted !== undefined) dialect.setUsage(body, counted)
  return body
}

function encodedBody(
  context: ChatContext,
  plan: Plan,
  result: ChatResult,
  counted: Usage | undefined,
): JsonObject {
  const reported = counted === undefined ? result : { ...result, usage: counted }
  const { dialect, request } = context
  return dialect.encodeResult({ ...reported, model: modelNameOf(context, plan) }, request)
}

/** Makes the calls of a plan: one call, or one call for each choice. */
async function receivePlan(
  services: WholeServices,
  context: ChatContext,
  calls: PlanCalls,
): Promise<ReceivedPlan> {
  const { plan, all } = calls
  const recorder = recordState(services.vendorState, context, plan)
  const receiving = { services, context, recorder, attempts: calls.attempts }
  if (plan.calls === 1) all.push(await receive(receiving, plan))
  else {
    const receiveOne = (corrected: Plan): Promise<Received> => receive(receiving, corrected)
    const one = async () =>
      all.push(await callCorrected(context, plan, services.signer, receiveOne))
    await services.pipeline.together(
      context,
      plan.deployment,
      Array.from({ length: plan.calls }, () => one),
    )
  }
  return { plan, all, meter: meterOf(all) }
}

/** What the calls of a plan share. */
interface Receiving {
  readonly services: WholeServices
  readonly context: ChatContext
  readonly recorder: StateRecorder | undefined
  /** Of all calls of the plan. */
  readonly attempts: Attempt<Plan>[]
}

/** One call. A vendor that refuses to stream is asked for a whole answer, since that is what the caller wants. */
function receive(receiving: Receiving, plan: Plan): Promise<Received> {
  const received = receiveOnce(receiving, plan)
  return plan.request.stream
    ? received.catch((refusal: unknown) => {
        if (!isStreamRefused(refusal)) throw refusal
        return receiveOnce(receiving, wholePlan(plan))
      })
    : received
}

/** One attempt. An answer that cannot be read is a failed one, and another deployment may do. */
async function receiveOnce(receiving: Receiving, plan: Plan): Promise<Received> {
  const { services, context } = receiving
  const attempt = services.pipeline.begin(context, plan)
  receiving.attempts.push(attempt)
  try {
    const response = await attempt.send(requestOf(context, plan), refusalsOf(context, plan))
    // Some servers stream although they are asked for a whole answer.
    const received = isStreamed(attempt, response)
      ? await fold(receiving, attempt, response)
      : await readWhole(receiving, attempt, await attempt.json(response))
    attempt.succeed()
    if (received.rest === undefined) attempt[Symbol.dispose]()
    return received
  } catch (thrown) {
    throw planFailure(plan, attempt.fail(thrown))
  }
}

/**
 * Whether a vendor streams to no one like this operator (OpenAI to no organization that is not verified), which is
 * no fault of a caller who asked for no stream.
 */
function isStreamRefused(refusal: unknown): boolean {
  return refusal instanceof GatewayError && refusal.details.providerError === "streaming"
}

async function fold(
  { services, context, recorder }: Receiving,
  attempt: Attempt<Plan>,
  response: HttpAnswer,
): Promise<Received> {
  const parts = readingParts(services.counter, context, attempt, recorder)
  const { result: reported, rest } = await foldAnswer(attempt, response, parts)
  return { reported, meter: parts.meter, rest }
}

function readWhole(
  { services, context, recorder }: Receiving,
  attempt: Attempt<Plan>,
  json: JsonValue | undefined,
): MaybePromise<Received> {
  const { plan } = attempt
  const { limits, restoration } = plan
  const meter = new Meter()
  attempt.meter = meter
  const { body, read } = decodedAnswer(attempt, json, meter)
  const result = restoration === undefined ? read : restoredResult(read, restoration)
  const record = recordOf(context.charge, plan)
  record?.answer(body)
  recorder?.look(body)
  meter.result(result)
  meter.reported = body
  if (record) meter.records = [record]
  return limits
    ? limitedResult(result, limits, services.counter.of(context.call.key.account)).then(
        (reported) => ({
          body,
          reported,
          meter,
        }),
      )
    : { body, reported: result, meter }
}

/** @throws GatewayError if the body is not an answer. Its provider may bill it nevertheless. */
function decodedAnswer(
  attempt: Attempt<Plan>,
  json: JsonValue | undefined,
  meter: Meter,
): { readonly body: JsonObject; readonly read: ChatResult } {
  const { client, binding, request } = attempt.plan
  const { dialect } = binding
  const error = reportedErrorIn(json)
  const body = isJsonObject(json) ? json : undefined
  try {
    if (error !== undefined) throw reportedFailure(attempt, error)
    if (body) return { body, read: dialect.decodeResult(body, request) }
  } catch (failure) {
    if (body) meter.usage = dialect.usageIn(body)
    throw failure
  }
  throw new GatewayError(
    "upstream_error",
    `Provider '${client.provider}' sent an answer that is not JSON. Try again.`,
  )
}

/** The answers to several calls as one: a choice of each, its usage that of all. */
function merged(all: readonly Received[], meter: Meter): ChatResult {
  const results = all.map(({ reported }) => reported)
  const [first = { choices: [] }] = results
  if (results.length === 1) return first
  const choices = results.flatMap(({ choices: [choice] }, index): Choice[] =>
    choice === undefined ? [] : [{ ...choice, index }],
  )
  const { usage: _, ...rest } = first
  return meter.usage === undefined ? { ...rest, choices } : { ...rest, choices, usage: meter.usage }
}

function signed(result: ChatResult, signer: ReasoningSigner, plan: Plan): ChatResult {
  const signPart = (part: Part): Part => {
    if (part.type !== "reasoning") return part
    const { signature = "", signedBy = plan.binding.dialect.id } = part
    const text = signer.sign({ ...part, signature, signedBy }, plan.client.keeper)
    return { ...part, signature: text }
  }
  const choices = result.choices.map((choice) => ({ ...choice, parts: choice.parts.map(signPart) }))
  return { ...result, choices }
}
