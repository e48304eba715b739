import { withoutKeys } from "../canon/key-shapes.ts"
import type { ModelSettings, Settings } from "../config/settings.ts"
import { buildModel, type ModelSources, splitId } from "./build-model.ts"
import type { Facts, ModelFacts } from "./facts.ts"
import { familyFacts } from "./families.ts"
import { isPriced, type Model } from "./model.ts"
import { originalVendors } from "./original-vendors.ts"
import { readPrice } from "./read-price.ts"

/** Matches possible names of models. */
const NAME = /^[\w.:@+/-]{1,200}$/
/** Maximum remembered names, since callers choose them. */
const MAX_REMEMBERED_NAMES = 500

export interface UnknownModelParts {
  readonly settings: Settings
  readonly facts: Facts
  readonly sources: ModelSources
}

/**
 * Requested models that neither the price list nor the settings contain, such as newly released models. The setting
 * `unknown_models` gives them the highest price of their family or a fixed price. Without this setting they are
 * rejected.
 */
export class UnknownModels {
  readonly #parts: UnknownModelParts
  readonly #found = new Map<string, Model | null>()

  constructor(parts: UnknownModelParts) {
    this.#parts = parts
  }

  /** Returns the reason why the price in the settings is unusable. */
  warnings(): string[] {
    const { unknownModels: rule, multiplier } = this.#parts.settings
    if (typeof rule !== "object") return []
    const { reason } = readPrice("chat", rule.price, multiplier)
    return reason === undefined ? [] : [`unknown_models is not used: ${reason}`]
  }

  /** Finds the model with an id, or with a name at its vendor. */
  find(name: string): Model | undefined {
    const known = this.#found.get(name)
    if (known !== undefined) return known ?? undefined
    const found = isName(name) ? this.#build(name) : undefined
    if (this.#found.size >= MAX_REMEMBERED_NAMES) this.#found.clear()
    this.#found.set(name, found ?? null)
    return found
  }

  /**
   * Returns a rejected model as `unknown_models: family` would offer it; undefined if the settings define
   * `unknown_models`, or if the model's family is unknown.
   */
  offer(name: string): Model | undefined {
    if (this.#parts.settings.unknownModels !== undefined || !isName(name)) return undefined
    const id = this.#idOf(name)
    return id === undefined ? undefined : this.#priced(id, "family")
  }

  #build(name: string): Model | undefined {
    const id = this.#idOf(name)
    return id === undefined ? undefined : this.#priced(id, this.#parts.settings.unknownModels)
  }

  /**
   * Returns the model id for a name. `<provider>/<model>` stays unchanged; a vendor's own name belongs to the first
   * provider of that vendor.
   */
  #idOf(name: string): string | undefined {
    const { providers } = this.#parts.settings
    const { provider } = splitId(name)
    if (name.includes("/") && Object.hasOwn(providers, provider)) return name
    const makers = originalVendors(name)
    const own = Object.entries(providers).filter(([, { vendor }]) => makers.includes(vendor))
    const [first] = own.toSorted(
      ([, left], [, right]) => makers.indexOf(left.vendor) - makers.indexOf(right.vendor),
    )
    return first === undefined ? undefined : `${first[0]}/${name}`
  }

  #priced(id: string, rule: Settings["unknownModels"]): Model | undefined {
    const { settings, facts, sources } = this.#parts
    const { provider, name } = splitId(id)
    const { vendor, knownModels } = settings.providers[provider] ?? {}
    if (rule === undefined || rule === "reject") return undefined
    if (vendor === undefined || knownModels !== true) return undefined
    if (rule !== "family") return built(id, { kind: "chat", price: rule.price }, sources)
    const models = Object.hasOwn(facts.vendors, vendor) ? facts.vendors[vendor] : undefined
    const assumed = models && familyFacts(models, name)
    return assumed && built(id, undefined, withFacts(sources, id, assumed))
  }
}

/**
 * Whether a text may be a model's name. The check prevents a key that was sent by mistake from being forwarded to a
 * vendor.
 */
function isName(text: string): boolean {
  return NAME.test(text) && withoutKeys(text) === text
}

function built(
  id: string,
  settings: ModelSettings | undefined,
  sources: ModelSources,
): Model | undefined {
  const { model } = buildModel(id, settings, sources)
  if (model === undefined || !isPriced(model)) return undefined
  const deployments = model.deployments.map((each) => ({ ...each, isAssumed: true as const }))
  return { ...model, deployments }
}

/** Adds the facts of one model to the sources. */
function withFacts(sources: ModelSources, id: string, facts: ModelFacts): ModelSources {
  const { known } = sources
  return {
    ...sources,
    known: {
      find: (provider, name) => (`${provider}/${name}` === id ? facts : known.find(provider, name)),
      servicesOf: (provider) => known.servicesOf(provider),
    },
  }
}
