import type {
  DeploymentSettings,
  ModelKind,
  ModelSettings,
  PriceSettings,
} from "../config/settings.ts"
import type { ModelFacts } from "./facts.ts"
import { kindOf, type KnownModels } from "./known-models.ts"
import type { Deployment, Model } from "./model.ts"
import { readPrice, readPriceFacts, type ReadPrice } from "./read-price.ts"

/** What models are built from. */
export interface ModelSources {
  readonly known: KnownModels
  /** Whether a provider can be called. */
  isProvider(id: string): boolean
  /** Decimal text; of models that have no multiplier of their own. */
  readonly multiplier: string
  /** Unix seconds; of models whose age nobody knows. */
  readonly created: number
}

export interface BuiltModel {
  /** Absent when nothing could ever answer for it. */
  readonly model?: Model
  readonly warnings: readonly string[]
}

/** What the settings and the facts say of one model. */
interface Draft {
  readonly id: string
  readonly kind: ModelKind
  readonly settings: ModelSettings | undefined
  readonly facts: ModelFacts | undefined
  readonly multiplier: string
}

/** Where a provider ends and a name begins in `<provider>/<model_name>`. */
export function splitId(id: string): { readonly provider: string; readonly name: string } {
  const slash = id.indexOf("/")
  return { provider: id.slice(0, slash), name: id.slice(slash + 1) }
}

/** Builds one public model. The settings win over the facts, field by field; a price as a whole. */
export function buildModel(
  id: string,
  settings: ModelSettings | undefined,
  sources: ModelSources,
): BuiltModel {
  const { provider, name } = splitId(id)
  const facts = sources.known.find(provider, name)
  const kind = settings?.kind ?? (facts === undefined ? "chat" : kindOf(facts))
  if (kind === undefined) return { warnings: [`model ${id}: its kind '${facts?.kind}' is unknown`] }
  const multiplier = settings?.multiplier ?? sources.multiplier
  const draft: Draft = { id, kind, settings, facts, multiplier }
  const wanted = settings?.deployments ?? [{ provider, model: name, weight: 1 }]
  const present = wanted.filter((deployment) => sources.isProvider(deployment.provider))
  const warnings = wanted
    .filter((deployment) => !sources.isProvider(deployment.provider))
    .map((deployment) => `model ${id}: provider '${deployment.provider}' is not set up`)
  if (present.length === 0) return { warnings }
  const reasons = new Set<string>()
  const deployments = present.map((deployment) =>
    buildDeployment(deployment, draft, sources.known, reasons),
  )
  for (const reason of reasons) warnings.push(`model ${id} is refused: ${reason}`)
  return { model: describeModel(draft, deployments, provider, sources.created), warnings }
}

function describeModel(
  draft: Draft,
  deployments: readonly Deployment[],
  provider: string,
  created: number,
): Model {
  const { settings, facts } = draft
  const context = settings?.context ?? facts?.context
  const maxOutput = settings?.maxOutput ?? facts?.max_output
  return {
    id: draft.id,
    kind: draft.kind,
    created: facts?.created ?? created,
    ownedBy: settings?.ownedBy ?? facts?.owner ?? provider,
    ...(context === undefined ? {} : { context }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    deployments,
  }
}

function buildDeployment(
  wanted: DeploymentSettings,
  draft: Draft,
  known: KnownModels,
  reasons: Set<string>,
): Deployment {
  const { provider, model: upstreamModel, weight } = wanted
  const deployment = { id: `${provider}/${upstreamModel}`, provider, upstreamModel, weight }
  const own = known.find(provider, upstreamModel)
  const { price, reason } = priceOf(wanted.price ?? draft.settings?.price, draft, own)
  if (reason !== undefined) reasons.add(reason)
  return price === undefined ? deployment : { ...deployment, price }
}

/** The deployment's price, else the model's, else what its vendor is known to charge for it. */
function priceOf(
  written: PriceSettings | undefined,
  draft: Draft,
  own: ModelFacts | undefined,
): ReadPrice {
  const { kind, multiplier } = draft
  if (written !== undefined) return readPrice(kind, written, multiplier)
  const known = draft.facts?.price ?? own?.price
  if (known !== undefined) return readPriceFacts(kind, known, multiplier)
  return { reason: "it has no price. Give it one under 'models' in the settings" }
}
