import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { Loss } from "../../canon/extra.ts"
import { asGatewayError, GatewayError } from "../../canon/errors.ts"
import type { Deployment } from "../../catalog/model.ts"
import { withLosses } from "../pipeline/answer-headers.ts"
import { route } from "../../routing/route.ts"
import { type Exchange, isFinal, NOT_NEEDED, type RelayServices } from "../pipeline/exchange.ts"
import { type Plan, wholePlan } from "./plan.ts"
import { planCall } from "./plan-call.ts"
import type { RefusalReader } from "../upstream/refusal.ts"
import { StateRefusals } from "../state/state-refusals.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { makeCall } from "../upstream/upstream-call.ts"

/**
 * Makes of an upstream's answer what a path needs, or throws so that the next deployment is tried.
 * @param choice which of several calls of the same plan it is.
 */
export type Use<T> = (attempt: Attempt, response: HttpAnswer, choice: number) => Promise<T>

/** What the calls of a plan gave: one, or one for each choice. */
export interface Used<T> {
  readonly plan: Plan
  readonly all: readonly T[]
}

/**
 * Calls the deployments of a request, one after the other, until one gives what can be used. The
 * attempts of what is returned are the taker's to dispose of.
 * @param prepare called once for each plan that is tried.
 * @throws GatewayError of the last failure, or of the first that is the caller's own fault.
 */
export async function callUpstream<T>(
  services: RelayServices,
  exchange: Exchange,
  prepare: (plan: Plan) => Use<T>,
): Promise<Used<T>> {
  const { health } = services
  let failure: GatewayError | undefined
  for (const deployment of route(exchange.bill.model, health)) {
    let plan: Plan
    try {
      const planned = planFor(exchange, deployment)
      plan = planned instanceof Promise ? await planned : planned
      if (exchange.call.isStrict && plan.losses.length > 0) throw notCarried(plan.losses)
    } catch (thrown) {
      // Another deployment may be able to carry what this one cannot.
      failure = asGatewayError(thrown)
      continue
    }
    exchange.bill.losses = plan.losses
    health.attempted(deployment.id)
    try {
      const order = { services, exchange, plan, use: prepare(plan) }
      const all = plan.calls === 1 ? [await callOnce(order, 0)] : await callSeveral(order)
      health.succeeded(deployment.id)
      return { plan, all }
    } catch (thrown) {
      failure = asGatewayError(thrown)
      if (isFinal(failure)) throw failure
      failure = withLosses(failure, plan.losses)
      if (failure.kind === "refused_by_upstream") break
    }
  }
  throw failure ?? new GatewayError("upstream_overloaded", "No deployment of this model is set up.")
}

function planFor(exchange: Exchange, deployment: Deployment): Plan | Promise<Plan> {
  const endpoint = exchange.surroundings.endpoints.get(deployment.provider)
  if (!endpoint) throw new Error(`provider ${deployment.provider} is not set up`)
  return planCall(exchange, deployment, endpoint)
}

/** What the calls of one plan share. */
interface Order<T> {
  readonly services: RelayServices
  readonly exchange: Exchange
  readonly plan: Plan
  readonly use: Use<T>
}

/** One call for each choice. The first that fails takes the others with it. */
async function callSeveral<T>(order: Order<T>): Promise<readonly T[]> {
  const { attempts } = order.exchange.leash
  const earlier = attempts.length
  const calls = Array.from({ length: order.plan.calls }, (_, choice) => callOnce(order, choice))
  try {
    return await Promise.all(calls)
  } catch (failure) {
    const siblings = attempts.slice(earlier)
    for (const attempt of siblings) attempt.end(NOT_NEEDED)
    await Promise.allSettled(calls)
    for (const attempt of siblings) attempt[Symbol.dispose]()
    throw failure
  }
}

function callOnce<T>(order: Order<T>, choice: number): Promise<T> {
  const { plan, exchange } = order
  const called = callWith(order, choice, plan)
  if (!plan.request.stream || exchange.request.stream) return called
  return called.catch((refusal: unknown) => {
    if (!isStreamRefused(refusal)) throw refusal
    return callWith(order, choice, wholePlan(plan))
  })
}

function callWith<T>(order: Order<T>, choice: number, plan: Plan): Promise<T> {
  const { services, exchange, use } = order
  const { leash, bill, call, surroundings } = exchange
  return makeCall({
    services,
    bill,
    leash,
    deadlines: surroundings.deadlines,
    answerBytes: surroundings.answerBytes,
    plan,
    request: () =>
      plan.endpoint.request(plan.offer, {
        model: plan.deployment.upstreamModel,
        stream: plan.request.stream,
        body: JSON.stringify(plan.body),
        headers: isForwarded(exchange, plan) ? call.forwarded : undefined,
      }),
    format: formatOf(order),
    use: (attempt, response) => use(attempt, response, choice),
  })
}

/**
 * Whether a vendor streams to nobody like this operator (OpenAI to no organization that is not verified), which is
 * no fault of a caller who asked for no stream.
 */
function isStreamRefused(refusal: unknown): boolean {
  return (
    refusal instanceof GatewayError &&
    refusal.kind === "refused_by_upstream" &&
    refusal.details.parameter === "stream"
  )
}

/** Whether the vendor speaks the caller's dialect, though the answer may go through the canon for its limits. */
function isForwarded({ dialect }: Exchange, { isVerbatim, limits, offer }: Plan): boolean {
  return isVerbatim || (limits !== undefined && offer.dialect.id === dialect.id)
}

/** Whose refusals they are. */
function formatOf<T>({ exchange, plan }: Order<T>): RefusalReader {
  const { state } = exchange.bill
  return state ? new StateRefusals(plan.offer.dialect, state.references) : plan.offer.dialect
}

/** The caller would rather have no answer than one to less than was asked. */
export function notCarried(losses: readonly Loss[]): GatewayError {
  const names = losses.map(({ name }) => name).join(", ")
  return new GatewayError(
    "not_carried",
    `This model's vendor cannot take everything in the request: ${names}. Leave that out, or send it without 'x-tollgate-strict'.`,
    { fields: { losses: names } },
  )
}
