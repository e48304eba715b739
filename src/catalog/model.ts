import type { DialectId, Loss } from "../canon/extra.ts"
import type { SeparateReasoning } from "../canon/separate-reasoning.ts"
import type { ResolvedRules } from "./model-rules.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type { Choice, Disconnect } from "../config/settings.ts"
import { chargesFor, type Price } from "../ledger/price.ts"

/** The model of a deployment, if any of several models may serve a request. */
export interface Member {
  readonly id: string
  /** The model name in its responses: the name in the request, if that means this model. */
  readonly name: string
  /** Limits in tokens, as for a model. */
  readonly context?: number
  readonly maxOutput?: number
}

/** Deployments with a common order, tried before those of the next stage. */
export interface Stage {
  readonly place: number
  readonly choice: StageChoice
  /** The reason for this stage; the choice by default. */
  readonly reason?: PreferenceReason
  /** Whether only the first deployment is tried. */
  readonly isAlone?: boolean
}

/** The order of deployments within a stage. Callers have an additional choice that settings lack. */
export type StageChoice = Choice | "throughput"

/** The field of a request that decided its deployment. */
export type PreferenceReason =
  | "models"
  | "provider.order"
  | "provider.only"
  | "provider.ignore"
  | "provider.sort"
  | "provider.max_price"

/** Model, provider, upstream name and price. Each of several credentials has a separate deployment. */
export interface Deployment extends ResolvedRules {
  /** `<provider>/<upstream name>`, or `<provider>/<upstream name>#<credential>`, as in receipts and logs. */
  readonly id: string
  readonly provider: string
  /** Absent for a provider with a single credential or without one. */
  readonly credential?: DeploymentCredential
  /** The provider's own name for the model. */
  readonly upstreamModel: string
  readonly weight: number
  /**
   * The dialects of a chat model, the preferred one first, determined from vendor, provider, settings and known facts.
   * All dialects of its vendor if absent.
   */
  readonly dialects?: readonly DialectId[]
  /** Set if its model does not show its reasoning in full, so that only the provider's usage reports the amount. */
  readonly hidesReasoning?: true
  /** Set if a caller has named the model, and it is unknown whether the vendor has it. */
  readonly isAssumed?: true
  /** Absent if the deployment cannot be called, because its cost would be unknown. */
  readonly price?: Price
  /** Maximum searches that its model makes on its own per answer. If absent, it searches only with a search tool. */
  readonly ownSearches?: number
  /** Maximum models that its vendor runs for an answer, billing the tokens of all of them. One model if absent. */
  readonly agents?: number
  /** Absent if the output limit also bounds the reasoning, or if the model does not reason. */
  readonly separateReasoning?: SeparateReasoning
  /** Absent if it only serves the requested model. */
  readonly member?: Member
  /** Absent if the model's choice alone determines the order. */
  readonly stage?: Stage
}

/** Returns the target of a call without its credential: `<provider>/<upstream name>`. */
export function placeOf({ provider, upstreamModel }: Deployment): string {
  return `${provider}/${upstreamModel}`
}

/** One of several credentials of a provider. */
export interface DeploymentCredential {
  readonly name: string
  /** Whether this is the first credential. Its account holds everything stored before others were added. */
  readonly isFirst: boolean
}

/** Separates a provider or a deployment from its credential. */
export const CREDENTIAL_MARK = "#"

/** Returns the account that owns data stored at a vendor: the provider, or one of its several credentials. */
export function keeperOf({
  provider,
  credential,
}: Pick<Deployment, "provider"> & { readonly credential?: { readonly name: string } }): string {
  return credential === undefined ? provider : `${provider}${CREDENTIAL_MARK}${credential.name}`
}

/** Returns the same for the id of a deployment. */
export function keeperOfId(deployment: string): string {
  const slash = deployment.indexOf("/")
  const mark = deployment.lastIndexOf(CREDENTIAL_MARK)
  const provider = deployment.slice(0, slash === -1 ? undefined : slash)
  return mark > slash ? provider + deployment.slice(mark) : provider
}

/** A public model and all of its deployments. */
export interface Model {
  /** `<provider>/<model_name>` */
  readonly id: string
  readonly kind: ModelKind
  /** The name in the request, if it differs from the id. */
  readonly requestedAs?: string
  /** Unix seconds. */
  readonly created: number
  readonly ownedBy: string
  /** Maximum tokens of input and output together. */
  readonly context?: number
  /** Maximum tokens of one answer. */
  readonly maxOutput?: number
  /** Maximum characters of a text to speak; the limit of the specification if absent. */
  readonly maxInput?: number
  /** Handling of responses after their callers disconnect; the general setting if absent. */
  readonly disconnect?: Disconnect
  /** The rule for choosing the first deployment; by weight if absent. */
  readonly choice?: Choice
  /** Whether a late deployment is supplemented by a second one; the general setting if absent. */
  readonly hedge?: boolean
  /** In the order of the settings, or cheapest first for that choice. */
  readonly deployments: readonly Deployment[]
  /** Deployments that the operator has paused. */
  readonly paused?: readonly Deployment[]
  /**
   * Models that may serve the request, for a group in the settings or a request with several models. Only the model
   * itself if absent.
   */
  readonly members?: readonly Member[]
  /** The reason why other deployments were excluded. */
  readonly reason?: PreferenceReason
  /** Parts removed from the request for all of the model's providers. */
  readonly ignored?: readonly Loss[]
}

/** Cached views of models for chats, which are billed by tokens. */
const chatViews = new WeakMap<Model, Model>()

/**
 * Returns a model of another kind as a chat model, with those deployments that support chats and have a token price.
 * @returns undefined if no deployment does.
 */
export function inChats(model: Model): Model | undefined {
  const known = chatViews.get(model)
  if (known !== undefined) return known
  const deployments = model.deployments.filter(({ rules }) => rules?.modalities !== undefined)
  if (deployments.length === 0) return undefined
  const view = { ...model, deployments: deployments.map(withTokenPrice) }
  chatViews.set(model, view)
  return view
}

/** Removes a price without rates for input and output tokens, since chats would be free. */
function withTokenPrice(deployment: Deployment): Deployment {
  const { price, ...rest } = deployment
  const { inputFresh, output, audioOutput } = price?.rates ?? {}
  const isPriced = inputFresh !== undefined && (output ?? audioOutput) !== undefined
  return isPriced ? deployment : rest
}

/** Returns whether a model can be called. A model without a price is listed but rejected. */
export function isPriced(model: Model): boolean {
  return model.deployments.some(({ price }) => price !== undefined)
}

/** Returns whether a request to a model may be free. */
export function isFree({ kind, deployments }: Model): boolean {
  // A chat uses other services only on request.
  const what = kind === "chat" ? "tokens" : "anything"
  return deployments.some(({ price }) => price !== undefined && !chargesFor(price, what))
}
