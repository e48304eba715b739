import { atOnce, type Steps } from "../canon/next-turn.ts"
import type { Settings } from "../config/settings.ts"
import { buildModel, type CallableProvider, type ModelSources, splitId } from "./build-model.ts"
import { Catalog } from "./catalog.ts"
import type { KnownVendors } from "./dialects.ts"
import { type Facts, factsDate } from "./facts.ts"
import { KnownModels } from "./known-models.ts"
import { type Model, isPriced } from "./model.ts"
import { PriceGroups } from "./price-groups.ts"
import { UnknownModels } from "./unknown-models.ts"
import { buildGroup, type ModelGroup } from "./several-models.ts"

export interface CatalogSources {
  readonly settings: Settings
  readonly facts: Facts
  readonly vendors: KnownVendors
  /** Returns the current time in Unix milliseconds; set by tests. */
  readonly clock?: () => number
}

export interface BuiltCatalog {
  readonly catalog: Catalog
  /** Problems that the operator can fix. They contain names of models, but no secrets. */
  readonly warnings: readonly string[]
}

/** Models that one step builds. Building one takes up to 0.2 ms. */
const MODELS_PER_STEP = 100

/** Builds the catalog in the current turn of the event loop. */
export function buildCatalog(sources: CatalogSources): BuiltCatalog {
  return atOnce(catalogSteps(sources))
}

/**
 * Builds the catalog from the settings and the known models of enabled vendors, in steps that do not block the event
 * loop.
 *
 * A model may have several deployments with separate prices. A caller pays the price of the deployment that served the
 * request. A hold covers the most expensive deployment.
 */
export function* catalogSteps(sources: CatalogSources): Steps<BuiltCatalog> {
  const { settings, facts, vendors, clock = () => Date.now() } = sources
  const providers = Object.entries(settings.providers)
  const callable = new Map<string, CallableProvider>()
  for (const [id, provider] of providers) {
    const vendor = vendors.get(provider.vendor)
    if (vendor) callable.set(id, { settings: provider, vendor })
  }
  const known = new KnownModels(settings, facts)
  const building: ModelSources = {
    known,
    providers: Object.keys(settings.providers),
    provider: (id) => callable.get(id),
    multiplier: settings.multiplier,
    strategy: settings.routing.strategy,
    created: factsDate(facts),
  }
  const entries = Object.entries(settings.models)
  const ids = new Set(entries.flatMap(([id, { members }]) => (members === undefined ? id : [])))
  for (const provider of callable.keys()) {
    for (const name of known.namesOf(provider)) {
      const id = `${provider}/${name}`
      if (settings.models[id]?.members === undefined) ids.add(id)
    }
  }
  const { models, knownByProvider, warnings: found } = yield* modelSteps(ids, settings, building)
  const warnings = providers
    .filter(([id]) => !callable.has(id))
    .map(([id, { vendor }]) => `provider ${id}: vendor '${vendor}' is unknown, so it is not called`)
  warnings.push(...found)
  for (const [provider, known] of knownByProvider)
    warnings.push(...knownModelWarnings(provider, known))
  const withoutModels = providersWithoutModels(settings, known, callable)
  warnings.push(...withoutModels, ...currencyWarnings(settings, knownByProvider.size > 0))
  const modelGroups: ModelGroup[] = []
  const grouping = {
    models: new Map(models.map((model) => [model.id, model])),
    strategy: building.strategy,
    created: building.created,
  }
  for (const [id, entry] of entries) {
    if (entry.members === undefined) continue
    const built = buildGroup(id, entry, grouping)
    if (built.group) modelGroups.push(built.group)
    warnings.push(...built.warnings)
  }
  const aliases = new Map(Object.entries(settings.aliases ?? {}))
  const named = providers.map(([id, { vendor, region }]) => ({ id, vendor, region }))
  const unknown = new UnknownModels({ settings, facts, sources: building })
  warnings.push(...unknown.warnings())
  yield
  const groups = new PriceGroups(settings.priceGroups ?? {})
  warnings.push(...groups.warnings(models))
  yield
  const described = { models, modelGroups, aliases, providers: named, unknown, withoutModels }
  const catalog = new Catalog({ ...described, groups, clock })
  for (const [alias, id] of aliases) {
    const fault = aliasFault({ catalog, unknown }, alias, id)
    if (fault !== undefined) warnings.push(`aliases.${alias}: ${fault}`)
  }
  return { catalog, warnings }
}

interface BuiltModels {
  readonly models: readonly Model[]
  /** Models that the settings do not contain, by provider. */
  readonly knownByProvider: ReadonlyMap<string, readonly Model[]>
  readonly warnings: readonly string[]
}

function* modelSteps(
  ids: ReadonlySet<string>,
  settings: Settings,
  building: ModelSources,
): Steps<BuiltModels> {
  const models: Model[] = []
  const knownByProvider = new Map<string, Model[]>()
  const warnings: string[] = []
  let count = 0
  for (const id of ids) {
    const written = Object.hasOwn(settings.models, id) ? settings.models[id] : undefined
    const built = buildModel(id, written, building)
    if (built.model) models.push(built.model)
    if (written !== undefined) warnings.push(...built.warnings)
    else if (built.model) addByProvider(knownByProvider, built.model)
    if (++count % MODELS_PER_STEP === 0) yield
  }
  return { models, knownByProvider, warnings }
}

/** Returns the reason why an alias of the settings cannot be used. */
function aliasFault(
  { catalog, unknown }: { readonly catalog: Catalog; readonly unknown: UnknownModels },
  alias: string,
  id: string,
): string | undefined {
  if (catalog.find(id) === undefined && unknown.find(id) === undefined)
    return `there is no model '${id}', so requests for it are rejected`
  if (catalog.find(alias) === undefined) return undefined
  return "is not used, because a model has that id"
}

function addByProvider(knownByProvider: Map<string, Model[]>, model: Model): void {
  const { provider } = splitId(model.id)
  const models = knownByProvider.get(provider)
  if (models) models.push(model)
  else knownByProvider.set(provider, [model])
}

/** Returns a line for each provider that no request can reach because no model uses it. */
function providersWithoutModels(
  settings: Settings,
  known: KnownModels,
  callable: ReadonlyMap<string, unknown>,
): string[] {
  const called = new Set(
    Object.entries(settings.models).flatMap(
      ([id, { deployments }]) =>
        deployments?.map(({ provider }) => provider) ?? [splitId(id).provider],
    ),
  )
  return Object.entries(settings.providers).flatMap(([id, { knownModels, vendor }]) => {
    if (!callable.has(id) || called.has(id) || known.namesOf(id).length > 0) return []
    // With the setting `unknown_models`, callers may name any model of the provider.
    if (knownModels && (settings.unknownModels ?? "reject") !== "reject") return []
    const cause = knownModels
      ? `no models of vendor '${vendor}' are known`
      : "known_models is false"
    return [
      `provider ${id}: has no models (${cause}), so it is never called. ` +
        `List them under 'models' with a price, such as ${id}/NAME.`,
    ]
  })
}

/** Returns a warning if credits have another currency but no multiplier, since known prices are in US dollars. */
function currencyWarnings(settings: Settings, hasKnownPrices: boolean): string[] {
  const currency = settings.stripe?.currency ?? "usd"
  if (currency === "usd" || !hasKnownPrices || Number(settings.multiplier) !== 1) return []
  return [
    `stripe.currency: one credit is sold for 1 ${currency.toUpperCase()}, but the known prices are in US dollars ` +
      `and 'multiplier' is 1. Set multiplier to the price of one dollar in ${currency.toUpperCase()}, plus your margin.`,
  ]
}

/** Maximum names in a warning, because people do not read longer lists. */
const MAX_NAMES = 5

/** Returns warnings about the known models of a provider, one line per subject. */
function knownModelWarnings(provider: string, models: readonly Model[]): string[] {
  const warnings: string[] = []
  const unpriced = models.filter((model) => !isPriced(model))
  if (unpriced.length > 0) {
    const count = `${unpriced.length} of its ${models.length} known models`
    warnings.push(
      `provider ${provider}: ${count} are rejected, because they have no price that can be billed: ${names(unpriced)}`,
    )
  }
  // Models for moderation may be free, since OpenAI does not charge for them.
  const free = models.filter((model) => model.kind !== "moderation" && isFree(model))
  if (free.length > 0) {
    const count = free.length === 1 ? "1 known model is" : `${free.length} known models are`
    warnings.push(
      `provider ${provider}: ${count} free for callers, because the vendor does not charge: ${names(free)}`,
    )
  }
  return warnings
}

function isFree(model: Model): boolean {
  return model.deployments.some(
    ({ price }) =>
      price !== undefined &&
      price.tiers.length === 0 &&
      Object.values(price.rates).every((rate) => rate === 0n),
  )
}

function names(models: readonly Model[]): string {
  const ids = models
    .map(({ id }) => id)
    .toSorted()
    .slice(0, MAX_NAMES)
  const more = models.length - ids.length
  return more > 0 ? `${ids.join(", ")} and ${more} more` : ids.join(", ")
}
