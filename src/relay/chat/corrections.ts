import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { extended } from "../../canon/model-rules.ts"
import { isReasoningOff, setsReasoning } from "../../dialects/shared/reasoning.ts"
import { correctable } from "../../catalog/learned-rules.ts"
import { CallEnded } from "../lifetime/call-failure.ts"
import { recordUnchargedCalls, type RunningCall } from "../pipeline/cancellation.ts"
import type { ChatContext } from "./chat-context.ts"
import { planFor } from "./chat-request.ts"
import { acceptsSampling, isSampling } from "../fitting/fit-to-model.ts"
import type { Plan } from "./plan.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"

/** Maximum corrections of one request at one deployment. All calls of a plan share this limit. */
const MAX_CORRECTIONS = 3

/** Makes one call of a plan, or all calls of a plan. Each call is corrected separately. */
interface Calls<T> {
  call(plan: Plan): Promise<T>
}

/**
 * Makes the call of a plan. If the provider rejects a parameter, the request is corrected and sent again before the
 * caller receives anything. A successful correction is stored for the deployment. A rejected call is never charged.
 * @param first the plan of this call. Other calls of the plan continue.
 * @throws CallFailure of the last call, if no correction exists or a strict caller does not allow the loss.
 */
export async function callCorrected<T>(
  context: ChatContext,
  first: Plan,
  signer: ReasoningSigner,
  calls: Calls<T>,
): Promise<T> {
  try {
    return await calls.call(first)
  } catch (thrown) {
    if (rejectedBy(thrown) === undefined) throw thrown
    return callAgain({ context, first, signer, calls }, thrown)
  }
}

interface CorrectedRequest<T> {
  readonly context: ChatContext
  readonly first: Plan
  readonly signer: ReasoningSigner
  readonly calls: Calls<T>
}

async function callAgain<T>(
  { context, first, signer, calls }: CorrectedRequest<T>,
  rejection: unknown,
): Promise<T> {
  const { cancellation, charge, config } = context
  let plan = first
  let thrown = rejection
  for (let count = 0; count < MAX_CORRECTIONS; count++) {
    const rejected = rejectedBy(thrown)
    const next = rejected && (await correct(context, plan, rejected, signer))
    if (next === undefined) break
    if (cancellation.hasGivenUp(first)) throw new CallEnded("not_needed")
    recordUnchargedCalls(charge, cancellation.attempts.filter(isRejected))
    plan = next
    try {
      const response = await calls.call(plan)
      config.learnedRules.learn(plan.deployment, plan.corrections ?? {})
      return response
    } catch (failure) {
      thrown = failure
      // Each call of a plan with several calls has already been corrected.
      if (plan.calls > first.calls) break
    }
  }
  throw thrown
}

/** Whether a call has ended because its provider rejected a parameter. */
export function isRejected({ ended }: Pick<RunningCall, "ended">): boolean {
  return rejectedBy(ended) !== undefined
}

function rejectedBy(thrown: unknown): ModelRules | undefined {
  return thrown instanceof GatewayError ? thrown.details.rejected : undefined
}

/**
 * Corrected plans by rejection, for each plan with several calls. All calls share the corrected plans and their bodies.
 */
const shared = new WeakMap<Plan, Map<string, Promise<Plan | undefined>>>()

/** Returns a corrected plan; undefined if there is no correction, or if the corrected request would be the same. */
function correct(
  context: ChatContext,
  plan: Plan,
  rejection: ModelRules,
  signer: ReasoningSigner,
): Promise<Plan | undefined> | undefined {
  if (plan.calls === 1) return correctedPlan(context, plan, rejection, signer)
  const known = shared.get(plan) ?? new Map<string, Promise<Plan | undefined>>()
  shared.set(plan, known)
  const key = JSON.stringify([plan.corrections, rejection])
  let corrected = known.get(key)
  // A provider may reject each call for a different reason, and each corrected plan has its own body.
  if (corrected === undefined && known.size < MAX_CORRECTIONS) {
    corrected = correctedPlan(context, plan, rejection, signer).then((made) => {
      if (made !== undefined) shared.set(made, known)
      return made
    })
    known.set(key, corrected)
  }
  return corrected
}

async function correctedPlan(
  context: ChatContext,
  plan: Plan,
  rejection: ModelRules,
  signer: ReasoningSigner,
): Promise<Plan | undefined> {
  const { deployment, client, corrections: before } = plan
  const rejected = correctable(withCondition(rejection, plan.rules, context.request), deployment)
  if (rejected === undefined || isRepeated(rejected, before)) return undefined
  // The hold is based on the priced features in the first dialect, so a correction must not change the dialect.
  const changesApi = rejected.api !== undefined || rejected.tool_api !== undefined
  if (changesApi && plan.featureCosts !== undefined) return undefined
  const corrections = extended(before, rejected)
  try {
    const next = await planFor(context, { deployment, client, corrections }, signer)
    const isSame = next.binding === plan.binding && Bun.deepEquals(next.body, plan.body)
    // A call for one of several choices must not be replaced by a call for all of them.
    return isSame || next.calls < plan.calls ? undefined : next
  } catch {
    // Without a correction, the caller receives the provider's own error.
    return undefined
  }
}

/**
 * Whether an earlier correction already set one of these rules. Only the list of rejected parameters may grow with each
 * correction.
 */
function isRepeated(rejected: ModelRules, before: ModelRules = {}): boolean {
  return Object.keys(rejected).some(
    (name) => name !== "rejected_parameters" && Object.hasOwn(before, name),
  )
}

/**
 * Adds a condition to rejected sampling parameters. A parameter that was rejected in a request with reasoning may be
 * accepted in a request without reasoning.
 */
function withCondition(
  rejected: ModelRules,
  rules: ModelRules = {},
  request: ChatRequest,
): ModelRules {
  if (rejected.rejected_parameters?.some(isSampling) !== true) return rejected
  if (acceptsSampling(request, rules)) return { ...rejected, sampling_without_reasoning: false }
  const { reasoning } = request
  const { rejected_parameters: known = [], sampling_without_reasoning: condition } = rules
  const isNew = rejected.rejected_parameters.some((name) => !known.includes(name))
  const isReasoning = setsReasoning(reasoning) && !isReasoningOff(reasoning)
  return condition === undefined && isNew && isReasoning
    ? { ...rejected, sampling_without_reasoning: true }
    : rejected
}
