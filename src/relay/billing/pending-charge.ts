import type { Payer } from "../../accounting/payer.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Loss } from "../../canon/extra.ts"
import type { GatewayError } from "../../canon/errors.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { Hold } from "../../ledger/hold.ts"
import type { PricedFeatures } from "../priced-features/find-priced-features.ts"
import type { FeatureCosts } from "../priced-features/feature-costs.ts"
import { longestOf } from "../../catalog/several-models.ts"
import { boundAt } from "./bound-cost.ts"
import { type Bound, estimateInput, longestResponse } from "./bounds.ts"
import type { Call } from "../request/call.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import type { Meter } from "../metering/meter.ts"
import type { AttemptRecord, RoutedBy } from "./receipt.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import { maxOfChat, maxOfSecond, type MaxUsage } from "./usage-bound.ts"
import type { ResolvedState } from "../state/vendor-state.ts"

/** The charge for one request, from its hold to its settlement. */
export interface PendingCharge {
  readonly call: Call
  /** The chat request; undefined for operations other than chat. */
  readonly request: ChatRequest | undefined
  readonly model: Model
  readonly hold: Hold
  /** The output limit that is sent upstream, if the balance or the model requires a lower limit than the caller's. */
  readonly clampedTo: number | undefined
  /** The data from which the hold was computed. It determines the maximum usage, regardless of the vendor's count. */
  readonly input: HoldInput
  /** The costs other than tokens, by deployment; absent if only tokens are billed. */
  readonly featureCosts?: ReadonlyMap<string, FeatureCosts> | undefined
  /**
   * The deployments from which the hold was computed. `held` and `rejection`, the reason for a rejection, are set for
   * estimates only.
   */
  readonly held?: readonly Deployment[]
  readonly rejection?: GatewayError
  readonly attempts: AttemptRecord[]
  losses: readonly Loss[]
  /** Time of the first byte, as returned by `performance.now()`. */
  firstByteAt: number | undefined
  /** The reason why the first deployment was chosen; undefined if there was no choice, or no call. */
  routedBy: RoutedBy | undefined
  /** The vendor state that the request refers to; absent in most requests. */
  readonly state?: ResolvedState | undefined
  /** Records state that the vendor stores with the response; absent if the vendor stores no state. */
  recorder?: StateRecorder | undefined
}

/** A chat request before its hold. */
export interface ChatAdmission {
  readonly call: Call
  readonly request: ChatRequest
  /** The model, with the priced features of the request if it has any. */
  readonly priced: Model | PricedFeatures
  /** The vendor state that the request refers to. */
  readonly state: ResolvedState | undefined
  /** Maximum number of upstream calls: one, or one for each choice. */
  readonly calls: number
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly isWhole?: undefined
}

/** An operation before its hold, with the maximum usage. */
export interface UsageAdmission {
  readonly call: Call
  readonly request: undefined
  readonly model: Model
  /** The usage that the hold covers. */
  readonly worst: Usage
  /** The maximum usage that can be charged, if it is higher than `worst`. */
  readonly max?: Usage | undefined
  /** Maximum upstream calls. Default: 1. */
  readonly calls?: number | undefined
  /**
   * Whether the response is not streamed. In that case, the gateway may continue to read it after the caller has
   * disconnected.
   */
  readonly isWhole: boolean
  /** Nanocredits that another operation in the same request also needs. */
  readonly additional?: bigint
}

/** The data from which all kinds of holds are computed. */
interface AnyHoldInput {
  readonly featureCosts?: ReadonlyMap<string, FeatureCosts> | undefined
  /** The deployments with the prices for the hold; absent if they are the model's own. */
  readonly held?: readonly Deployment[]
  readonly call: Call
  readonly model: Model
  readonly payer: Payer
  readonly state?: ResolvedState | undefined
}

export interface ChatHoldInput extends AnyHoldInput {
  readonly request: ChatRequest
  /** The deployments with the prices for the hold. */
  readonly held: readonly Deployment[]
  readonly bound: Bound
  /** Returns the priced features with fewer tool calls; absent if only tokens are billed. */
  readonly withFewerCalls?: PricedFeatures["withFewerCalls"] | undefined
  readonly calls: number
  readonly clients: ReadonlyMap<string, ProviderClient>
}

/** The data from which holds of operations other than chat are computed. */
export interface UsageHoldInput extends AnyHoldInput {
  readonly request: undefined
  readonly worst: Usage
  readonly max: Usage
}

export type HoldInput = ChatHoldInput | UsageHoldInput

/** Returns the maximum usage of a request. */
export function maxOf(
  { input, clampedTo }: PendingCharge,
  deployment: Deployment,
  meter: Meter | undefined,
): MaxUsage {
  if (input.request === undefined) return { own: input.max, second: input.max }
  const { featureCosts } = input
  const { bound } = input
  const model = answeringModel(input.model, deployment.member)
  const clamped =
    clampedTo === undefined ? bound : { ...bound, output: Math.min(bound.output, clampedTo) }
  const asked = boundAt(clamped, deployment)
  const came = meter === undefined ? 0 : meter.characters + meter.other.characters
  const own = maxOfChat({ bound: asked, model, featureCosts, came })
  return { own, second: maxOfSecond(own, featureCosts) }
}

/** Estimates the input that a provider had received when its call was cancelled. */
export function sentUsage({ input, call, model, state }: PendingCharge): Usage {
  if (input.request !== undefined) {
    const { request } = input
    const { bodyBytes } = call
    const kept = state?.tokens
    return estimateInput({ request, bodyBytes, model, counted: undefined, kept })
  }
  return {
    ...input.worst,
    output: 0,
    reasoning: 0,
    audioOutput: 0,
    imageOutput: 0,
    reasoningBeside: 0,
    images: 0,
    seconds: 0,
  }
}

/** Returns the model with the limits of the member that responds, if several models may respond. */
function answeringModel(model: Model, member: Deployment["member"]): Model {
  if (member === undefined) return model
  const { context: _, maxOutput: __, ...rest } = model
  const { context, maxOutput } = member
  return {
    ...rest,
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

/** Returns the clamped output limit at one deployment. Its model may have a lower maximum than the other models. */
export function clampAt(
  { clampedTo }: Pick<PendingCharge, "clampedTo">,
  { maxTokens }: Pick<ChatRequest, "maxTokens">,
  { member }: Deployment,
): number | undefined {
  const asked = clampedTo ?? maxTokens
  const longest = member && longestOf(member)
  return longest !== undefined && asked !== undefined && asked > longest ? longest : clampedTo
}

/**
 * Returns the output limit that the balance and the model allow; undefined if they require no lower limit than the
 * caller's.
 */
export function clampOf(
  { request, model }: HoldInput,
  affordable: number | undefined,
): number | undefined {
  if (request?.maxTokens === undefined) return affordable
  const max = longestResponse(request, model)
  if (max >= request.maxTokens) return affordable
  return affordable === undefined ? max : Math.min(affordable, max)
}
