import { MODEL_KIND_NAMES, type ModelKind } from "#contract/model-kinds.ts"
import type { Settings } from "../config/settings.ts"
import type { Facts, ModelFacts, ServiceFacts } from "./facts.ts"

/** Finds the known facts about a provider's models. */
export class KnownModels {
  readonly #settings: Settings
  readonly #facts: Facts

  constructor(settings: Settings, facts: Facts) {
    this.#settings = settings
    this.#facts = facts
  }

  /** Returns the facts about a model at a provider's vendor. */
  find(provider: string, upstreamModel: string): ModelFacts | undefined {
    const models = this.#ofProvider(provider)
    return models && Object.hasOwn(models, upstreamModel) ? models[upstreamModel] : undefined
  }

  /** Returns the names of known models that a provider adds to the catalog. */
  namesOf(provider: string): readonly string[] {
    if (this.#settings.providers[provider]?.knownModels !== true) return []
    return Object.keys(this.#ofProvider(provider) ?? {})
  }

  /** Returns the known charges of a provider's vendor beyond the prices of its models. */
  servicesOf(provider: string): ServiceFacts | undefined {
    const vendor = this.#settings.providers[provider]?.vendor
    return vendor === undefined ? undefined : this.#facts.services?.[vendor]
  }

  #ofProvider(provider: string): Readonly<Record<string, ModelFacts>> | undefined {
    const vendor = this.#settings.providers[provider]?.vendor
    return vendor === undefined ? undefined : this.#facts.vendors[vendor]
  }
}

/** Returns the kind in the facts; undefined if this version does not support it. */
export function kindOf(facts: ModelFacts): ModelKind | undefined {
  return MODEL_KIND_NAMES.find((kind) => kind === facts.kind)
}
