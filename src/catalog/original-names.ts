import { makersNames } from "./bedrock-names.ts"
import { splitId } from "./build-model.ts"
import { familyOf, newestNames, undatedNames } from "./dated-names.ts"
import type { Model } from "./model.ts"
import type { Allows } from "./model-rights.ts"
import { originalVendors } from "./original-vendors.ts"

/** A provider in the settings: decides which of several models of a name is meant. */
export interface NamedProvider {
  readonly id: string
  readonly vendor: string
  /** Where it runs, at a vendor that has regions. */
  readonly region?: string | undefined
}

/** Longer text is no name of a model. */
const LONGEST_NAME = 256

/**
 * Finds the models that the vendors' own names mean: `gpt-5.4`, `claude-sonnet-4-5-20250929`,
 * `gemini-2.5-flash-latest`.
 */
export class OriginalNames {
  /** By name, the preferred one first; the public ids are included, each for itself. */
  readonly #models: ReadonlyMap<string, readonly Model[]>
  /** Families as in `-latest` names, with the names of their newest members; built on first use. */
  #newest: ReadonlyMap<string, string> | undefined

  /**
   * @param models in the order of their ids.
   * @param providers in the order of the settings.
   */
  constructor(models: readonly Model[], providers: readonly NamedProvider[]) {
    this.#models = modelsByName(models, providers)
  }

  /**
   * The model that a name means, of several the first that may be called; where none may be, the first of all,
   * so that its refusal can be reported.
   */
  find(name: string, allows?: Allows): Model | undefined {
    if (name.length > LONGEST_NAME) return undefined
    const models = this.#meant(name)
    return models?.find(({ id }) => allows?.(id) !== false) ?? models?.[0]
  }

  #meant(name: string): readonly Model[] | undefined {
    const own = this.#models.get(name)
    if (own !== undefined) return own
    const family = familyOf(name)
    if (family !== undefined) {
      const models = this.#models.get(family)
      if (models !== undefined) return models
      this.#newest ??= newestNames(this.#models.keys())
      return this.#models.get(this.#newest.get(family) ?? "")
    }
    for (const undated of undatedNames(name)) {
      const models = this.#models.get(undated)
      if (models !== undefined) return models
    }
    return undefined
  }
}

interface Candidate {
  readonly model: Model
  /** Compared number by number; the least is meant. */
  readonly rank: readonly number[]
}

function modelsByName(
  models: readonly Model[],
  providers: readonly NamedProvider[],
): ReadonlyMap<string, readonly Model[]> {
  const places = new Map(providers.map((provider, place) => [provider.id, { ...provider, place }]))
  const candidates = new Map<string, Candidate[]>()
  for (const model of models) {
    const { name } = splitId(model.id)
    const [deployment] = model.deployments
    const provider = places.get(deployment?.provider ?? "")
    for (const [own, distance] of namesOf(model, provider)) {
      // A name that starts with a provider's id belongs to that provider, and to no other.
      if (places.has(splitId(own).provider)) continue
      const vendors = originalVendors(own)
      const vendor = provider === undefined ? -1 : vendors.indexOf(provider.vendor)
      const rank = [
        vendor === -1 ? vendors.length : vendor,
        distance,
        deployment?.upstreamModel === own ? 0 : 1,
        name === own ? 0 : 1,
        provider?.place ?? places.size,
      ]
      const others = candidates.get(own)
      if (others) others.push({ model, rank })
      else candidates.set(own, [{ model, rank }])
    }
  }
  const meant = new Map<string, readonly Model[]>(models.map((model) => [model.id, [model]]))
  for (const [name, found] of candidates) {
    meant.set(
      name,
      found.toSorted(byRank).map(({ model }) => model),
    )
  }
  return meant
}

/**
 * Its name after the provider's, and its vendor's own where all its deployments have the same; at Bedrock the
 * maker's too. Each with its distance: 0 for the exact name.
 */
function namesOf(
  { id, deployments }: Model,
  provider: NamedProvider | undefined,
): ReadonlyMap<string, number> {
  const own = new Set(deployments.map(({ upstreamModel }) => upstreamModel))
  const [upstream] = own
  const names = new Map([[splitId(id).name, 0]])
  if (upstream === undefined || own.size > 1) return names
  if (provider?.vendor === "bedrock") {
    const makers = makersNames(upstream, provider.region)
    for (const { name, distance } of makers) names.set(name, distance)
  }
  // Last: an exact name comes before a guess.
  return names.set(splitId(id).name, 0).set(upstream, 0)
}

function byRank(left: Candidate, right: Candidate): number {
  for (const [at, rank] of left.rank.entries()) {
    const difference = rank - (right.rank[at] ?? 0)
    if (difference !== 0) return difference
  }
  // They came in the order of their ids.
  return 0
}
