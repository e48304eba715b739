import type { HttpRequest } from "../../wire/http/request.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { jsonBytesInSlices, LARGE_BODY } from "../../canon/sliced-json-text.ts"
import { notCarried, withLosses } from "../pipeline/response-headers.ts"
import { asCallFailure, CallEnded, type CallFailure, isFinal } from "../lifetime/call-failure.ts"
import { hedges } from "../pipeline/hedges.ts"
import type { Trial } from "../pipeline/trial.ts"
import { isKeptByVendor } from "./record-state.ts"
import { clampAt } from "../billing/pending-charge.ts"
import { StateRejections } from "./state-rejections.ts"
import type { RejectionReader } from "../upstream/rejection.ts"
import type { ChatContext } from "./chat-context.ts"
import type { Plan } from "./plan.ts"
import { type ChatCandidate, planCall } from "./plan-call.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"

/**
 * Plans the call to a candidate. From then on, the losses of this plan are reported.
 * @throws GatewayError if this candidate cannot serve the request. Another candidate may be able to.
 */
export function planFor(
  context: ChatContext,
  candidate: ChatCandidate,
  signer: ReasoningSigner,
): MaybePromise<Plan> {
  const plan = planCall(context, candidate, signer)
  return plan instanceof Promise
    ? plan.then((made) => acceptLosses(context, made))
    : acceptLosses(context, plan)
}

function acceptLosses(context: ChatContext, plan: Plan): Plan {
  if (context.call.isStrict && plan.losses.length > 0) throw notCarried(plan.losses)
  context.charge.losses = plan.losses
  const clampedTo = clampAt(context.charge, context.request, plan.deployment)
  if (clampedTo !== undefined) context.headers["x-tollgate-max-tokens"] = String(clampedTo)
  return plan
}

/** A response and its plan, which may be a corrected plan. */
interface PlannedResponse {
  readonly plan: Plan
}

/** Returns the plans that may be called in parallel with another call; undefined if hedging is not allowed. */
export function hedgingOf(
  context: ChatContext,
): Pick<Trial<Plan, PlannedResponse>, "mayHedge" | "taken"> | undefined {
  if (!hedges(context)) return undefined
  return {
    // Several calls cannot be replaced together. A provider must also not store a response that the caller does not
    // receive.
    mayHedge: (plan) => plan.calls === 1 && !isKeptByVendor(plan),
    taken: ({ plan }) => {
      context.charge.losses = plan.losses
    },
  }
}

/** The bodies of plans with several calls. All calls of a plan send the same bytes. */
const sharedBodies = new WeakMap<Plan, MaybePromise<RequestBody>>()

type RequestBody = string | Uint8Array<ArrayBuffer>

/** Returns the HTTP request of a plan. The result is a promise only if signing is asynchronous or the body is large. */
export function requestOf(context: ChatContext, plan: Plan): MaybePromise<HttpRequest> {
  let body = sharedBodies.get(plan)
  if (body === undefined) {
    const isLarge = context.call.bodyBytes >= LARGE_BODY
    body = isLarge ? jsonBytesInSlices(plan.body) : JSON.stringify(plan.body)
    if (plan.calls > 1) sharedBodies.set(plan, body)
  }
  return body instanceof Promise
    ? body.then((written) => requestWith(context, plan, written))
    : requestWith(context, plan, body)
}

function requestWith(
  context: ChatContext,
  plan: Plan,
  body: RequestBody,
): MaybePromise<HttpRequest> {
  return plan.client.request(plan.binding, {
    model: plan.deployment.upstreamModel,
    stream: plan.request.stream,
    body,
    headers: isForwarded(context, plan) ? context.call.forwarded : undefined,
  })
}

/**
 * Whether the vendor uses the caller's dialect. The response may still be converted through the canon to enforce
 * limits.
 */
function isForwarded({ dialect }: ChatContext, { isVerbatim, limits, binding }: Plan): boolean {
  return isVerbatim || (limits !== undefined && binding.dialect.id === dialect.id)
}

/** Returns a reader for the errors of a plan's vendor. */
export function rejectionsOf({ charge }: ChatContext, { binding }: Plan): RejectionReader {
  const { state } = charge
  return state ? new StateRejections(binding.dialect, state.references) : binding.dialect
}

/**
 * Returns the name of the model in the response: the requested name or, if the request allows several models, the name
 * of the responding model.
 */
export function modelNameOf({ request }: ChatContext, { deployment }: Plan): string {
  return deployment.member?.name ?? request.model
}

/** Returns the failure of a plan. Losses of the request may be the reason, so they are also reported. */
export function planFailure(plan: Plan, thrown: unknown): CallFailure {
  const failure = asCallFailure(thrown)
  if (failure instanceof CallEnded || isFinal(failure)) return failure
  return withLosses(failure, plan.losses)
}
