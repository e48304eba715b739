import { isOperationKind, MODEL_KINDS } from "#contract/model-kinds.ts"
import type { Model as ModelDocument } from "#contract/catalog.ts"
import type { Catalog } from "../catalog/catalog.ts"
import type { Facts } from "../catalog/facts.ts"
import type { LearnedRules } from "../catalog/learned-rules.ts"
import { type Deployment, isPriced, type Model, placeOf } from "../catalog/model.ts"
import type { RawEntry } from "../config/console-settings.ts"
import type { Settings } from "../config/settings.ts"
import type { Health } from "../routing/health.ts"
import { vendors } from "../vendors/index.ts"
import { healthDocument, summedReport } from "./health-document.ts"
import { KnownPrices } from "./known-prices.ts"
import type { LiveSettings } from "./live-settings.ts"
import { DescribedModels } from "./model-facts.ts"
import { priceDocument, priceInForce } from "./price-document.ts"

/** Cache time of the documents for people who are not operators, because building all documents takes long. */
const CACHE_TIME_MS = 1_000

interface ModelDocumentParts {
  readonly live: LiveSettings
  readonly health: Health
  /** Returns the active catalog. */
  readonly catalog: () => Catalog
  readonly learnedRules: LearnedRules
}

/** Model documents for people who are not operators. */
interface PublicDocuments {
  readonly catalog: Catalog
  readonly settings: Settings
  readonly facts: Facts
  /** The end of the cache time by `performance.now()`. */
  readonly until: number
  readonly byModel: Map<Model, ModelDocument>
}

/** Converts models to their representation in the API. */
export class ModelDocuments {
  readonly #live: LiveSettings
  readonly #health: Health
  readonly #catalog: () => Catalog
  readonly #learnedRules: LearnedRules
  #known = new KnownPrices()
  #described: DescribedModels | undefined
  #publicDocuments: PublicDocuments | undefined

  constructor({ live, health, catalog, learnedRules }: ModelDocumentParts) {
    this.#live = live
    this.#health = health
    this.#catalog = catalog
    this.#learnedRules = learnedRules
  }

  /** Returns the document for people who are not operators. It is cached for a short time. */
  publicOf(model: Model): ModelDocument {
    const catalog = this.#catalog()
    const { effective: settings, lists } = this.#live
    const { facts } = lists
    const now = performance.now()
    let known = this.#publicDocuments
    const isCurrent =
      known?.catalog === catalog && known.settings === settings && known.facts === facts
    if (known === undefined || !isCurrent || known.until <= now) {
      known = { catalog, settings, facts, until: now + CACHE_TIME_MS, byModel: new Map() }
      this.#publicDocuments = known
    }
    let document = known.byModel.get(model)
    if (document === undefined) {
      document = this.of(model, false)
      known.byModel.set(model, document)
    }
    return document
  }

  /** Returns the document for an operator, or for other people, who do not see the operator's settings. */
  of(model: Model, isOperator: boolean): ModelDocument {
    const { effective } = this.#live
    const vendorOf = (provider: string): string | undefined => effective.providers[provider]?.vendor
    const origin = this.#originOf(model.id)
    const known =
      isOperator && !isPriced(model) ? this.#knownPrices().find(model, vendorOf) : undefined
    const slash = model.id.indexOf("/")
    return {
      id: model.id,
      provider: model.id.slice(0, slash),
      name: model.id.slice(slash + 1),
      kind: model.kind,
      owned_by: model.ownedBy,
      created: model.created,
      context: model.context ?? null,
      max_output: model.maxOutput ?? null,
      capabilities: this.#describedModels().capabilities(model),
      ...priceDocument(model),
      price_in_force: priceInForce(this.#catalog().priced(model)),
      price_source: this.#priceSource(model, origin, isOperator),
      multiplier: multiplierOf(effective, model.id),
      endpoints: endpointsOf(model, vendorOf),
      deployments: deploymentsOf(model, effective).map(
        ({ deployment, credentials, weight, isPaused }) => ({
          provider: deployment.provider,
          model: isOperator ? deployment.upstreamModel : "",
          weight,
          is_paused: isPaused,
          health: healthDocument(
            summedReport(credentials.map(({ id }) => this.#health.report(id))),
            isOperator,
          ),
          rules: isOperator ? this.#learnedRules.list(deployment) : [],
        }),
      ),
      group: groupOf(model, effective),
      origin,
      is_locked: origin === "file" || !isOperator,
      known_price: known ? flatPrice(known.price) : null,
      known_entry: known ?? null,
      entry: isOperator && origin === "console" ? entryOf(this.#live, model.id) : null,
    }
  }

  /** Returns the known prices of the active list. */
  #knownPrices(): KnownPrices {
    const { facts } = this.#live.lists
    if (this.#known.facts !== facts) this.#known = new KnownPrices(facts)
    return this.#known
  }

  #describedModels(): DescribedModels {
    const { effective, lists } = this.#live
    const { settings, facts } = this.#described ?? {}
    if (this.#described === undefined || settings !== effective || facts !== lists.facts) {
      this.#described = new DescribedModels(effective, lists.facts)
    }
    return this.#described
  }

  /** Returns the source of a price. Only operators see the provider's name for the model. */
  #priceSource(
    model: Model,
    origin: ModelDocument["origin"],
    isOperator: boolean,
  ): ModelDocument["price_source"] {
    const at = origin === "console" ? this.#live.record("model", model.id)?.changedAt : undefined
    const source = this.#describedModels().priceSource(model, { origin, at })
    return source && { ...source, name: isOperator ? source.name : null }
  }

  #originOf(id: string): ModelDocument["origin"] {
    if (Object.hasOwn(this.#live.base.settings.models, id)) return "file"
    return Object.hasOwn(this.#live.reading.settings.models, id) ? "console" : "known"
  }
}

/** Returns the group of a model with those members that exist. */
function groupOf({ id, members }: Model, { models, routing }: Settings): ModelDocument["group"] {
  if (members === undefined) return null
  const written = Object.hasOwn(models, id) ? models[id] : undefined
  const known = new Set(members.map((member) => member.id))
  return {
    strategy: written?.strategy ?? routing.strategy,
    members: (written?.members ?? []).filter(({ model }) => known.has(model)),
  }
}

export function multiplierOf({ models, multiplier }: Settings, id: string): string {
  return (Object.hasOwn(models, id) ? models[id]?.multiplier : undefined) ?? multiplier
}

function entryOf(live: LiveSettings, id: string): Record<string, unknown> | null {
  const entry = live.entry("model", id)
  return entry === undefined ? null : { ...entry }
}

/** Returns a price as a flat table; null if the price has nested parts. */
function flatPrice(price: RawEntry): Record<string, string> | null {
  const members = Object.entries(price)
  const isFlat = members.every(([, value]) => typeof value === "string")
  return isFlat ? (Object.fromEntries(members) as Record<string, string>) : null
}

/**
 * Returns the endpoints that a model supports, based on the vendors' tables, as in `docs/reference/vendors.md`.
 * @param vendorOf returns the vendor of a provider.
 */
function endpointsOf(model: Model, vendorOf: (provider: string) => string | undefined): string[] {
  const { kind, deployments } = model
  const isServed =
    !isOperationKind(kind) ||
    deployments.some(({ provider }) => vendors.get(vendorOf(provider) ?? "")?.operations?.[kind])
  return isServed ? [...MODEL_KINDS[kind].endpoints] : []
}

/** A deployment of a model, as listed in the model's document. */
interface ListedDeployment {
  readonly deployment: Deployment
  /**
   * The deployments for all credentials of the provider; only the deployment itself if there is a single credential.
   */
  readonly credentials: readonly Deployment[]
  /** The sum of the weights of all credentials. */
  readonly weight: number
  readonly isPaused: boolean
}

/** Returns deployments in the order of the settings. */
function deploymentsOf(
  { id, deployments, paused = [] }: Model,
  { models }: Settings,
): ListedDeployment[] {
  const active = asWritten(deployments, false)
  if (paused.length === 0) return active
  const written = (Object.hasOwn(models, id) ? models[id]?.deployments : undefined) ?? []
  const places = new Map(
    written.map(({ provider, model }, place) => [`${provider}/${model}`, place]),
  )
  const rankOf = ({ deployment }: ListedDeployment): number => places.get(placeOf(deployment)) ?? 0
  return [...active, ...asWritten(paused, true)].toSorted(
    (left, right) => rankOf(left) - rankOf(right),
  )
}

/** Merges the deployments of a provider's credentials into one deployment, as in the settings. */
function asWritten(deployments: readonly Deployment[], isPaused: boolean): ListedDeployment[] {
  const places = Map.groupBy(deployments, (deployment) =>
    deployment.credential === undefined ? deployment : placeOf(deployment),
  )
  return [...places.values()].flatMap((credentials) =>
    credentials
      .slice(0, 1)
      .map((deployment) => ({ deployment, credentials, weight: weightOf(credentials), isPaused })),
  )
}

/** Adds the weights of several credentials. The sum is rounded, because the parts may not add up exactly. */
function weightOf(credentials: readonly Deployment[]): number {
  const [only] = credentials
  if (credentials.length === 1 && only) return only.weight
  return Number(credentials.reduce((sum, { weight }) => sum + weight, 0).toPrecision(12))
}
