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
import { type Bound, estimateInput, longestAnswer } from "./bounds.ts"
import type { Call } from "../request/call.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import type { Meter } from "../metering/meter.ts"
import type { AttemptRecord, RoutedBy } from "./receipt.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import { maxOfChat, maxOfSecond, type MaxUsage } from "./usage-bound.ts"
import type { ResolvedState } from "../state/vendor-state.ts"

/** The money side of one request, from its hold to its end. */
export interface PendingCharge {
  readonly call: Call
  /** Absent for other operations than chat. */
  readonly request: ChatRequest | undefined
  readonly model: Model
  readonly hold: Hold
  /** What is asked of the vendor where that is less than the caller's: for the credits, or the model's sake. */
  readonly clampedTo: number | undefined
  /** What it was placed by: the most that can have been used, however the vendor counts. */
  readonly input: HoldInput
  /** By deployment: what is billed besides the tokens; absent where nothing is. */
  readonly featureCosts?: ReadonlyMap<string, FeatureCosts> | undefined
  /** Of an estimate: the deployments as its hold has seen them, and why it would be refused. */
  readonly held?: readonly Deployment[]
  readonly refusal?: GatewayError
  readonly attempts: AttemptRecord[]
  losses: readonly Loss[]
  /** By `performance.now()`. */
  firstByteAt: number | undefined
  /** Why its first deployment was that; undefined where there was no choice, or none was called. */
  routedBy: RoutedBy | undefined
  /** What the request names of what vendors keep; absent where it names nothing, as nearly all. */
  readonly state?: ResolvedState | undefined
  /** Notes what the vendor keeps of the answer; absent where it keeps nothing. */
  recorder?: StateRecorder | undefined
}

/** A chat request whose money is set aside next. */
export interface ChatAdmission {
  readonly call: Call
  readonly request: ChatRequest
  /** The model, with the priced features of the request if it has any. */
  readonly priced: Model | PricedFeatures
  /** What it names of what vendors keep. */
  readonly state: ResolvedState | undefined
  /** Upstream calls that it may take: one, or one for each choice. */
  readonly calls: number
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly isWhole?: undefined
}

/** An operation whose money is set aside next: what it can use at most. */
export interface UsageAdmission {
  readonly call: Call
  readonly request: undefined
  readonly model: Model
  /** What its hold covers. */
  readonly worst: Usage
  /** The most that is charged, if that is more. */
  readonly max?: Usage | undefined
  /** Maximum upstream calls. Default: 1. */
  readonly calls?: number | undefined
  /** Whether its answer is whole, and may be read on when its caller has left. */
  readonly isWhole: boolean
  /** Nanocredits that another operation of the same request needs as well. */
  readonly beside?: bigint
}

/** What a hold is placed by. */
interface AnyHoldInput {
  readonly featureCosts?: ReadonlyMap<string, FeatureCosts> | undefined
  /** The deployments as a hold has to see them; absent where they are the model's own. */
  readonly held?: readonly Deployment[]
  readonly call: Call
  readonly model: Model
  readonly payer: Payer
  readonly state?: ResolvedState | undefined
}

export interface ChatHoldInput extends AnyHoldInput {
  readonly request: ChatRequest
  /** The deployments as a hold has to see them. */
  readonly held: readonly Deployment[]
  readonly bound: Bound
  /** The priced features with fewer tool calls; absent if only tokens are billed. */
  readonly withFewerCalls?: PricedFeatures["withFewerCalls"] | undefined
  readonly calls: number
  readonly clients: ReadonlyMap<string, ProviderClient>
}

/** For other operations than chat. */
export interface UsageHoldInput extends AnyHoldInput {
  readonly request: undefined
  readonly worst: Usage
  readonly max: Usage
}

export type HoldInput = ChatHoldInput | UsageHoldInput

/** The most that a request can have used. */
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

/** Estimates the input that a provider received before its call was cancelled, with media at their bound. */
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

/** What is known of the model that answers, where any of several may. */
export function answeringModel(model: Model, member: Deployment["member"]): Model {
  if (member === undefined) return model
  const { context: _, maxOutput: __, ...rest } = model
  const { context, maxOutput } = member
  return {
    ...rest,
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

/** The same at one deployment: its model may be able to say less than others that may answer. */
export function clampAt(
  { clampedTo }: Pick<PendingCharge, "clampedTo">,
  { maxTokens }: Pick<ChatRequest, "maxTokens">,
  { member }: Deployment,
): number | undefined {
  const asked = clampedTo ?? maxTokens
  const longest = member && longestOf(member)
  return longest !== undefined && asked !== undefined && asked > longest ? longest : clampedTo
}

/** What is asked for in place of more than there are credits for, or than the model can say. */
export function clampOf(
  { request, model }: HoldInput,
  affordable: number | undefined,
): number | undefined {
  if (request?.maxTokens === undefined) return affordable
  const max = longestAnswer(request, model)
  if (max >= request.maxTokens) return affordable
  return affordable === undefined ? max : Math.min(affordable, max)
}
