import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { extended } from "../../canon/model-rules.ts"
import { isReasoningOff, setsReasoning } from "../../dialects/shared/reasoning.ts"
import { correctable } from "../../catalog/learned-rules.ts"
import { CallEnded } from "../pipeline/call-failure.ts"
import { loseCalls, type RunningCall } from "../pipeline/cancellation.ts"
import type { ChatContext } from "./chat-context.ts"
import { planFor } from "./chat-request.ts"
import { acceptsSampling, isSampling } from "./fit-to-model.ts"
import type { Plan } from "./plan.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"

/** Maximum corrections of one request at one deployment. */
const MAX_CORRECTIONS = 3

interface Corrected {
  readonly plan: Plan
  /** All corrections of the request so far. */
  readonly corrections: ModelRules
}

/** Makes the calls of a plan. */
export interface CorrectedCalls<T> {
  call(plan: Plan): Promise<T>
  /** Whether a call of the last plan has completed; the calls are not repeated then. */
  hasCompleted?(): boolean
}

/**
 * Makes the calls of a plan. If the provider rejects a parameter, the request is corrected and resent before its caller
 * receives anything. A successful correction is stored for the deployment. A rejected call is never charged.
 * @throws CallFailure of the last call, if no correction exists, or only one with a loss that a strict caller forbids.
 */
export function callCorrected<T>(
  context: ChatContext,
  first: Plan,
  signer: ReasoningSigner,
  calls: CorrectedCalls<T>,
): Promise<T> {
  return calls.call(first).catch((thrown: unknown) => {
    if (rejectedBy(thrown) === undefined) throw thrown
    return callAgain({ context, first, signer, calls }, thrown)
  })
}

interface CorrectedRequest<T> {
  readonly context: ChatContext
  readonly first: Plan
  readonly signer: ReasoningSigner
  readonly calls: CorrectedCalls<T>
}

async function callAgain<T>(
  { context, first, signer, calls }: CorrectedRequest<T>,
  rejection: unknown,
): Promise<T> {
  const { cancellation, charge, config } = context
  const callsOf = (rejected: Plan): RunningCall[] =>
    cancellation.attempts.filter((attempt) => attempt.plan === rejected)
  let plan = first
  let corrections: ModelRules | undefined
  let thrown = rejection
  for (let count = 0; count < MAX_CORRECTIONS && calls.hasCompleted?.() !== true; count++) {
    const rejected = rejectedBy(thrown)
    const next = rejected && (await correct(context, { plan, corrections, rejected }, signer))
    if (next === undefined) break
    if (cancellation.givenUp.has(first)) throw new CallEnded("not_needed")
    await cancellation.endOthers()
    loseCalls(charge, callsOf(plan))
    ;({ plan, corrections } = next)
    try {
      const answer = await calls.call(plan)
      config.learnedRules.learn(plan.deployment, corrections)
      return answer
    } catch (failure) {
      thrown = failure
    }
  }
  throw thrown
}

function rejectedBy(thrown: unknown): ModelRules | undefined {
  return thrown instanceof GatewayError ? thrown.details.rejected : undefined
}

/** Returns a corrected plan; undefined if there is no correction, or if it would send the same request. */
async function correct(
  context: ChatContext,
  failed: {
    readonly plan: Plan
    readonly corrections: ModelRules | undefined
    readonly rejected: ModelRules
  },
  signer: ReasoningSigner,
): Promise<Corrected | undefined> {
  const { plan, corrections: before } = failed
  const { deployment, client } = plan
  const rejected = correctable(
    withCondition(failed.rejected, plan.rules, context.request),
    deployment,
  )
  if (rejected === undefined || isRepeated(rejected, before)) return undefined
  // The hold is based on the billable switches of the first dialect.
  const changesApi = rejected.api !== undefined || rejected.tool_api !== undefined
  if (changesApi && plan.terms !== undefined) return undefined
  const corrections = extended(before, rejected)
  try {
    const next = await planFor(context, { deployment, client, corrections }, signer)
    const isSame = next.binding === plan.binding && Bun.deepEquals(next.body, plan.body)
    return isSame ? undefined : { plan: next, corrections }
  } catch {
    // The caller gets the provider's own error.
    return undefined
  }
}

/** Whether a rule that replaces its value was corrected before. */
function isRepeated(rejected: ModelRules, before: ModelRules = {}): boolean {
  return Object.keys(rejected).some(
    (name) => name !== "rejected_parameters" && Object.hasOwn(before, name),
  )
}

/** Sampling parameters that were rejected with reasoning may be accepted without reasoning. */
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
