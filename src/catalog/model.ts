import type { DialectId, Loss } from "../canon/extra.ts"
import type { SeparateReasoning } from "../canon/separate-reasoning.ts"
import type { ResolvedRules } from "./model-rules.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type { Strategy, Disconnect } from "../config/settings.ts"
import { chargesFor, type Price } from "../ledger/price.ts"

/** One of several models that may serve a request, as stored with its deployments. */
export interface Member {
  readonly id: string
  /** The model name in responses: the requested name if it means this model. */
  readonly name: string
  /** Limits in tokens, as in `Model`. */
  readonly context?: number
  readonly maxOutput?: number
}

/** Deployments that are ordered together and tried before the deployments of the next stage. */
export interface Stage {
  readonly place: number
  readonly strategy: StageStrategy
  /** The reason for this stage. If absent, the stage follows from the rule for choosing a deployment. */
  readonly reason?: PreferenceReason
  /** Whether only the first deployment is tried. */
  readonly isAlone?: boolean
}

/** The order of deployments within a stage. `throughput` can only be requested by callers, not set in the settings. */
export type StageStrategy = Strategy | "throughput"

/** The field of a request that decided its deployment. */
export type PreferenceReason =
  | "models"
  | "provider.order"
  | "provider.only"
  | "provider.ignore"
  | "provider.sort"
  | "provider.max_price"

/**
 * The combination of a model, provider, upstream name and price. Each of several credentials has a separate deployment.
 */
export interface Deployment extends ResolvedRules {
  /** `<provider>/<upstream name>`, or `<provider>/<upstream name>#<credential>`, as in receipts and logs. */
  readonly id: string
  readonly provider: string
  /** Absent for a provider with a single credential or without credentials. */
  readonly credential?: DeploymentCredential
  /** The provider's own name for the model. */
  readonly upstreamModel: string
  readonly weight: number
  /**
   * The dialects of a chat model, with the preferred one first, determined from vendor, provider, settings and known
   * facts. If absent, all dialects of its vendor.
   */
  readonly dialects?: readonly DialectId[]
  /**
   * Set if the model does not show its full reasoning, so that only the provider's usage reports the reasoning tokens.
   */
  readonly hidesReasoning?: true
  /** Set if a caller has named the model and the vendor may not offer it. */
  readonly isAssumed?: true
  /** Absent if the deployment cannot be called, because its price is unknown. */
  readonly price?: Price
  /**
   * Maximum searches that the model makes on its own per response. If absent, the model only searches with a search
   * tool.
   */
  readonly ownSearches?: number
  /** Maximum models that the vendor runs for one response, billing the tokens of all. If absent, only one. */
  readonly agents?: number
  /** Absent if the output limit also applies to reasoning, or if the model does not reason. */
  readonly separateReasoning?: SeparateReasoning
  /** Absent if the deployment only serves the requested model. */
  readonly member?: Member
  /** Absent if only the model's strategy determines the order. */
  readonly stage?: Stage
}

/** Returns the target of a call without its credential: `<provider>/<upstream name>`. */
export function placeOf({ provider, upstreamModel }: Deployment): string {
  return `${provider}/${upstreamModel}`
}

/** One of several credentials of a provider. */
export interface DeploymentCredential {
  readonly name: string
  /**
   * Whether this is the first credential. Its account holds all data that the vendor stored before others were added.
   */
  readonly isFirst: boolean
}

/** Separates a provider or a deployment from its credential. */
export const CREDENTIAL_MARK = "#"

/** Returns the owner of data stored at a vendor: the provider, or the account of one of its several credentials. */
export function credentialIdOf({
  provider,
  credential,
}: Pick<Deployment, "provider"> & { readonly credential?: { readonly name: string } }): string {
  return credential === undefined ? provider : `${provider}${CREDENTIAL_MARK}${credential.name}`
}

/** Returns the owner of stored data, like `credentialIdOf`, from the id of a deployment. */
export function credentialIdOfDeployment(deployment: string): string {
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
  /** Maximum tokens of one response. */
  readonly maxOutput?: number
  /** Maximum characters of a text to speak; if absent, the limit of the specification. */
  readonly maxInput?: number
  /** Handling of responses after their callers disconnect; if absent, the general setting. */
  readonly disconnect?: Disconnect
  /** The rule for choosing the first deployment; if absent, by weight. */
  readonly strategy?: Strategy
  /** Whether a second deployment is called if the first is late; if absent, the general setting. */
  readonly hedge?: boolean
  /** Deployments in the order of the settings, or cheapest first if the strategy requires it. */
  readonly deployments: readonly Deployment[]
  /** Deployments that the operator has paused. */
  readonly paused?: readonly Deployment[]
  /**
   * Models that may serve the request, for a group in the settings or a request that names several models. If absent,
   * only the model itself.
   */
  readonly members?: readonly Member[]
  /** The reason why other deployments were excluded. */
  readonly reason?: PreferenceReason
  /** Parts of the request that are removed for all providers of the model. */
  readonly ignored?: readonly Loss[]
}

/** Cached views of models as chat models, which are billed by tokens. */
const chatViews = new WeakMap<Model, Model>()

/**
 * Returns a model of another kind as a chat model, with those deployments that support chats and have token prices.
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

/** Removes prices without rates for input and output tokens, because chats would be free. */
function withTokenPrice(deployment: Deployment): Deployment {
  const { price, ...rest } = deployment
  const { inputFresh, output, audioOutput } = price?.rates ?? {}
  const isPriced = inputFresh !== undefined && (output ?? audioOutput) !== undefined
  return isPriced ? deployment : rest
}

/** Whether a model can be called. A model without a price is listed but rejected. */
export function isPriced(model: Model): boolean {
  return model.deployments.some(({ price }) => price !== undefined)
}

/** Whether at least one deployment of a model is free of charge. */
export function isFree({ kind, deployments }: Model): boolean {
  // Other billed services of a chat are only used on request.
  const what = kind === "chat" ? "tokens" : "anything"
  return deployments.some(({ price }) => price !== undefined && !chargesFor(price, what))
}

/** Whether a key may call a model. If absent, the key may call all models. */
export type Allows = ((id: string) => boolean) | undefined

/** The models that a key may call, with aliases and prices. */
export interface ModelRights {
  /** Applied to the resolved model, never to the requested name. */
  readonly allows?: Allows
  /** Maps aliases to the ids of their models. */
  readonly aliases?: ReadonlyMap<string, string> | undefined
  /** The price group of the key's account. */
  readonly priceGroup?: string | undefined
}
