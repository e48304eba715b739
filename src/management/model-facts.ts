import type { Model as ModelDocument } from "#contract/catalog.ts"
import type { Facts, ModelFacts } from "../catalog/facts.ts"
import { KnownModels } from "../catalog/known-models.ts"
import { isPriced, type Model } from "../catalog/model.ts"
import type { Settings } from "../config/settings.ts"
import { vendors } from "../vendors/index.ts"

/** An entry in the list of known models, with its name in the list. */
interface FoundFacts {
  readonly facts: ModelFacts
  readonly provider: string
  readonly name: string
}

/** Describes served models by means of the list of known models. */
export class DescribedModels {
  readonly settings: Settings
  readonly facts: Facts
  readonly #known: KnownModels

  constructor(settings: Settings, facts: Facts) {
    this.settings = settings
    this.facts = facts
    this.#known = new KnownModels(settings, facts)
  }

  capabilities(model: Model): ModelDocument["capabilities"] {
    const facts = this.#find(model, () => true)?.facts
    if (facts === undefined) return null
    const { input = [], tools = false, reasoning = false } = facts
    return { input: [...input], tools, reasoning }
  }

  /**
   * Returns the source of a model's price.
   * @param set the origin of the model's entry, and the time of its last change.
   */
  priceSource(
    model: Model,
    set: { readonly origin: ModelDocument["origin"]; readonly at: number | undefined },
  ): ModelDocument["price_source"] {
    if (!isPriced(model)) return null
    if (this.#isWritten(model.id)) {
      const date = set.at === undefined ? null : new Date(set.at).toISOString().slice(0, 10)
      return { kind: set.origin, name: null, date }
    }
    const found = this.#find(model, ({ price }) => price !== undefined)
    if (found === undefined) return { kind: "known", name: null, date: null }
    const { facts, provider, name } = found
    const date = facts.priced ?? this.facts.date ?? null
    return { kind: "known", name: `${this.#vendorName(provider)}: ${name}`, date }
  }

  /** Finds a model by its public id, or else by a provider's name for it, in the same way as its price. */
  #find(model: Model, isWanted: (facts: ModelFacts) => boolean): FoundFacts | undefined {
    const slash = model.id.indexOf("/")
    const places = [
      { provider: model.id.slice(0, slash), name: model.id.slice(slash + 1) },
      ...model.deployments.map(({ provider, upstreamModel: name }) => ({ provider, name })),
    ]
    for (const { provider, name } of places) {
      const facts = this.#known.find(provider, name)
      if (facts !== undefined && isWanted(facts)) return { facts, provider, name }
    }
    return undefined
  }

  #isWritten(id: string): boolean {
    const { models } = this.settings
    const entry = Object.hasOwn(models, id) ? models[id] : undefined
    const prices = [entry?.price, ...(entry?.deployments ?? []).map(({ price }) => price)]
    return prices.some((price) => price !== undefined)
  }

  #vendorName(provider: string): string {
    const vendor = this.settings.providers[provider]?.vendor ?? provider
    return vendors.get(vendor)?.name ?? vendor
  }
}
