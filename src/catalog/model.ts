import type { DialectId } from "../canon/extra.ts"
import type { Choice, Disconnect, ModelKind } from "../config/settings.ts"
import type { Price } from "../ledger/price.ts"

/** Model x provider x upstream name x price: what is called; with each of several credentials another one. */
export interface Deployment {
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
  /** Set where a caller has named the model, and nobody here knows whether its vendor has it. */
  readonly isAssumed?: true
  /** Absent: the deployment cannot be called, since its cost could not be known. */
  readonly price?: Price
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
}

/** Whether a model can be called: one without a price is listed, and refused. */
export function isPriced(model: Model): boolean {
  return model.deployments.some(({ price }) => price !== undefined)
}
