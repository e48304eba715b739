import type { DialectId, Loss } from "../canon/extra.ts"
import type { SeparateReasoning } from "../canon/separate-reasoning.ts"
import type { ResolvedRules } from "./model-rules.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type { Choice, Disconnect } from "../config/settings.ts"
import { chargesFor, type Price } from "../ledger/price.ts"

/** Of a deployment: which model it is of, where any of several may answer a request. */
export interface Member {
  readonly id: string
  /** What an answer of it calls the model: the name in the request, where that is its own. */
  readonly name: string
  /** Tokens, as of a model. */
  readonly context?: number
  readonly maxOutput?: number
}

/** Deployments that are tried before the next ones are, in an order of their own. */
export interface Stage {
  readonly place: number
  readonly choice: StageChoice
  /** Why its deployments are tried now; absent: the choice says it. */
  readonly reason?: PreferenceReason
  /** Whether only the first of them is tried. */
  readonly isAlone?: boolean
}

/** How the deployments of a stage are put in an order: callers have a choice more than the settings. */
export type StageChoice = Choice | "throughput"

/** The field of a request that decided its deployment. */
export type PreferenceReason =
  | "models"
  | "provider.order"
  | "provider.only"
  | "provider.ignore"
  | "provider.sort"
  | "provider.max_price"

/** Model x provider x upstream name x price: what is called; with each of several credentials another one. */
export interface Deployment extends ResolvedRules {
  /** `<provider>/<upstream name>`, or `<provider>/<upstream name>#<credential>`: names it in receipts and logs. */
  readonly id: string
  readonly provider: string
  /** Absent where its provider has one credential, or needs none. */
  readonly credential?: DeploymentCredential
  /** The provider's own name for the model. */
  readonly upstreamModel: string
  readonly weight: number
  /**
   * For a chat model: the dialects it can be called in, the preferred one first. Vendor, provider, settings and
   * registry are all taken into account: nothing else needs to be checked. Absent: all that its vendor speaks.
   */
  readonly dialects?: readonly DialectId[]
  /** Set if its model reasons and does not show it in full: only its provider's usage says how much. */
  readonly hidesReasoning?: true
  /** Set where a caller has named the model, and nobody here knows whether its vendor has it. */
  readonly isAssumed?: true
  /** Absent: the deployment cannot be called, since its cost could not be known. */
  readonly price?: Price
  /** Searches that its model makes by itself in an answer, at most. Absent: it searches only with a search tool. */
  readonly ownSearches?: number
  /** Maximum models that its vendor runs for an answer, billing the tokens of all. Absent: one model. */
  readonly agents?: number
  /** Absent: the output limit also bounds the reasoning, or the model does not reason. */
  readonly separateReasoning?: SeparateReasoning
  /** Absent: it is of the model that the request is for, and of no other. */
  readonly member?: Member
  /** Absent: all deployments of the model are equals, or as its choice has them. */
  readonly stage?: Stage
}

/** What is called, whichever credential signs: `<provider>/<upstream name>`. */
export function placeOf({ provider, upstreamModel }: Deployment): string {
  return `${provider}/${upstreamModel}`
}

/** One of several credentials of a provider. */
export interface DeploymentCredential {
  readonly name: string
  /** Whether it is the first: what was stored before there were several is there. */
  readonly isFirst: boolean
}

/** Stands between a provider or a deployment and its credential. */
export const CREDENTIAL_MARK = "#"

/** Who keeps what a vendor stores: the provider, or one of its several accounts there. */
export function keeperOf({
  provider,
  credential,
}: Pick<Deployment, "provider"> & { readonly credential?: { readonly name: string } }): string {
  return credential === undefined ? provider : `${provider}${CREDENTIAL_MARK}${credential.name}`
}

/** The same for the id of a deployment. */
export function keeperOfId(deployment: string): string {
  const slash = deployment.indexOf("/")
  const mark = deployment.lastIndexOf(CREDENTIAL_MARK)
  const provider = deployment.slice(0, slash === -1 ? undefined : slash)
  return mark > slash ? provider + deployment.slice(mark) : provider
}

/** A public model and everything that can answer for it. */
export interface Model {
  /** `<provider>/<model_name>` */
  readonly id: string
  readonly kind: ModelKind
  /** The name in the request, where it differs from the id. */
  readonly requestedAs?: string
  /** Unix seconds. */
  readonly created: number
  readonly ownedBy: string
  /** Tokens of input and output together that the model can hold. */
  readonly context?: number
  /** The most tokens in one answer. */
  readonly maxOutput?: number
  /** The most characters of text to speak; absent: as many as the specification says. */
  readonly maxInput?: number
  /** What happens to answers whose callers have left; absent: the setting for all models. */
  readonly disconnect?: Disconnect
  /** Which of several deployments is tried first; absent: by weight. */
  readonly choice?: Choice
  /** Whether a second deployment is asked as well when the first is late; absent: the setting for all models. */
  readonly hedge?: boolean
  /** In the order of the settings, or the cheapest first where that is the choice. */
  readonly deployments: readonly Deployment[]
  /** Those that no request goes to until the operator says so. */
  readonly paused?: readonly Deployment[]
  /** Any of them may answer: of a group of the settings, and of a request that names several. Absent: only itself. */
  readonly members?: readonly Member[]
  /** Why no more of its deployments are left. */
  readonly reason?: PreferenceReason
  /** What was left out of the request for the model's providers, whichever of them is called. */
  readonly ignored?: readonly Loss[]
}

/** A model as chats call it, which are billed by tokens: another view of each model is never built twice. */
const chatViews = new WeakMap<Model, Model>()

/**
 * A model of another kind as a chat model, with the deployments that answer chats and have a price for tokens.
 * @returns undefined if none of them does.
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

/** Without a price for tokens in and out, a chat would cost nothing. */
function withTokenPrice(deployment: Deployment): Deployment {
  const { price, ...rest } = deployment
  const { inputFresh, output, audioOutput } = price?.rates ?? {}
  const isPriced = inputFresh !== undefined && (output ?? audioOutput) !== undefined
  return isPriced ? deployment : rest
}

/** Whether a model can be called: one without a price is listed, and refused. */
export function isPriced(model: Model): boolean {
  return model.deployments.some(({ price }) => price !== undefined)
}

/** Whether a request to a model may cost nothing. */
export function isFree({ kind, deployments }: Model): boolean {
  // A chat uses other services only if it asks for them.
  const what = kind === "chat" ? "tokens" : "anything"
  return deployments.some(({ price }) => price !== undefined && !chargesFor(price, what))
}
