import { GatewayError } from "../canon/errors.ts"
import type { ModelKind, Settings } from "../config/settings.ts"
import { buildModel, type CallableProvider, type ModelSources, splitId } from "./build-model.ts"
import type { KnownVendors } from "./dialects.ts"
import { entryOf, type ModelEntry } from "./entry.ts"
import { type Facts, factsDate } from "./facts.ts"
import { KnownModels } from "./known-models.ts"
import { knownModelWarnings } from "./known-model-warnings.ts"
import { type Deployment, isPriced, type Model } from "./model.ts"
import { nearestNames } from "./nearest-names.ts"

/** Whether a key may call a model. Absent: it may call all. */
export type Allows = ((id: string) => boolean) | undefined

export interface CatalogSources {
  readonly settings: Settings
  readonly facts: Facts
  readonly vendors: KnownVendors
}

export interface BuiltCatalog {
  readonly catalog: Catalog
  /** What the operator may want to mend; names models, never secrets. */
  readonly warnings: readonly string[]
}

/** How many names a message suggests. */
const SUGGESTIONS = 3

/** A name is repeated in a message up to here. */
const LONGEST_NAME = 256

/**
 * Builds the catalog from the settings and the known models of the vendors that are switched on.
 *
 * A model may have several deployments with prices of their own: a caller pays the price of the
 * deployment that answered, and a hold covers the dearest.
 */
export function buildCatalog(sources: CatalogSources): BuiltCatalog {
  const { settings, facts, vendors } = sources
  const providers = Object.entries(settings.providers)
  const callable = new Map<string, CallableProvider>()
  for (const [id, provider] of providers) {
    const vendor = vendors.get(provider.vendor)
    if (vendor) callable.set(id, { settings: provider, vendor })
  }
  const known = new KnownModels(settings, facts)
  const building: ModelSources = {
    known,
    provider: (id) => callable.get(id),
    multiplier: settings.multiplier,
    created: factsDate(facts),
  }
  const ids = new Set(Object.keys(settings.models))
  for (const provider of callable.keys()) {
    for (const name of known.namesOf(provider)) ids.add(`${provider}/${name}`)
  }
  const models: Model[] = []
  const brought = new Map<string, Model[]>()
  const warnings = providers
    .filter(([id]) => !callable.has(id))
    .map(([id, { vendor }]) => `provider ${id}: vendor '${vendor}' is unknown, so it is not called`)
  for (const id of ids) {
    const written = Object.hasOwn(settings.models, id) ? settings.models[id] : undefined
    const built = buildModel(id, written, building)
    if (built.model) models.push(built.model)
    if (written !== undefined) warnings.push(...built.warnings)
    else if (built.model) noteBrought(brought, built.model)
  }
  for (const [provider, known] of brought) warnings.push(...knownModelWarnings(provider, known))
  return { catalog: new Catalog(models), warnings }
}

function noteBrought(brought: Map<string, Model[]>, model: Model): void {
  const { provider } = splitId(model.id)
  const models = brought.get(provider)
  if (models) models.push(model)
  else brought.set(provider, [model])
}

/** The models that can be called, and how they are listed. Never changes: new settings, new catalog. */
export class Catalog {
  readonly #models: readonly Model[]
  readonly #byId: ReadonlyMap<string, Model>
  readonly #entries = new Map<string, string>()
  #wholeBody: string | undefined

  constructor(models: readonly Model[]) {
    // By code unit: a locale's order would differ from machine to machine.
    this.#models = models.toSorted((left, right) => (left.id < right.id ? -1 : 1))
    this.#byId = new Map(this.#models.map((model) => [model.id, model]))
  }

  /** The model of a public id. */
  find(id: string): Model | undefined {
    return this.#byId.get(id)
  }

  /** The public id of the model that a provider has under a name of its own, if there is one. */
  idOf(provider: string, upstreamModel: string): string | undefined {
    const isSame = (deployment: Deployment): boolean =>
      deployment.provider === provider && deployment.upstreamModel === upstreamModel
    const named = this.#byId.get(`${provider}/${upstreamModel}`)
    if (named?.deployments.some(isSame)) return named.id
    return this.#models.find(({ deployments }) => deployments.some(isSame))?.id
  }

  /** The models in the order of their ids; those a key may call when it says which. */
  list(allows?: Allows): readonly Model[] {
    return allows === undefined ? this.#models : this.#models.filter(({ id }) => allows(id))
  }

  /** Models that are listed but refused, since what they cost is not known. */
  get unpriced(): readonly Model[] {
    return this.#models.filter((model) => !isPriced(model))
  }

  /** Up to three ids that a caller may have meant, among those its key may call. */
  nearest(id: string, allows?: Allows): string[] {
    const ids = this.list(allows).map((model) => model.id)
    return nearestNames(id, ids, SUGGESTIONS)
  }

  /** A model as the list shows it. */
  entry(model: Model): ModelEntry {
    return entryOf(model)
  }

  /** The body of the model list, as JSON text. Without an allow-list it is made once. */
  listBody(allows?: Allows): string {
    if (allows !== undefined) return this.#bodyOf(this.list(allows))
    this.#wholeBody ??= this.#bodyOf(this.#models)
    return this.#wholeBody
  }

  /**
   * A model that a key may see.
   * @throws GatewayError `model_not_found`.
   */
  visible(id: string, allows?: Allows): Model {
    const model = this.#byId.get(id)
    if (model === undefined || allows?.(id) === false) throw this.#notFound(id, allows)
    return model
  }

  /**
   * The model a request names, when it can be called.
   * @throws GatewayError `model_not_found`, `model_not_allowed`, `model_not_supported`,
   * `model_not_priced`.
   */
  require(id: string, kind: ModelKind, allows?: Allows): Model {
    const model = this.#byId.get(id)
    if (model === undefined) throw this.#notFound(id, allows)
    if (allows?.(id) === false) {
      throw refusal(
        "model_not_allowed",
        `This key may not call the model \`${id}\`. GET /v1/models lists those it may.`,
      )
    }
    if (model.kind !== kind) {
      throw refusal(
        "model_not_supported",
        `The model \`${id}\` is of kind ${model.kind}; this endpoint takes models of kind ${kind}.`,
      )
    }
    if (!isPriced(model)) {
      throw refusal(
        "model_not_priced",
        `The model \`${id}\` has no price yet, so it cannot be called. The operator can give it one under 'models' in the settings.`,
      )
    }
    return model
  }

  #notFound(id: string, allows: Allows): GatewayError {
    const shown = id.length > LONGEST_NAME ? `${id.slice(0, LONGEST_NAME)}…` : id
    const nearest = this.nearest(id, allows)
    const hint = nearest.length === 0 ? "" : ` Did you mean ${orList(nearest)}?`
    const shape = id.includes("/") ? "" : " A model is named <provider>/<model_name>."
    return refusal(
      "model_not_found",
      `The model \`${shown}\` does not exist.${shape}${hint} GET /v1/models lists all.`,
    )
  }

  #bodyOf(models: readonly Model[]): string {
    const entries = models.map((model) => {
      let entry = this.#entries.get(model.id)
      if (entry === undefined) {
        entry = JSON.stringify(entryOf(model))
        this.#entries.set(model.id, entry)
      }
      return entry
    })
    return `{"object":"list","data":[${entries.join(",")}]}`
  }
}

function refusal(
  kind: "model_not_found" | "model_not_allowed" | "model_not_supported" | "model_not_priced",
  message: string,
): GatewayError {
  return new GatewayError(kind, message, { parameter: "model" })
}

function orList(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  const last = quoted.pop() ?? ""
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`
}
