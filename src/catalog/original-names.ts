import { makersNames } from "./bedrock-names.ts"
import { splitId } from "./build-model.ts"
import { familyOf, newestNames, undatedNames } from "./dated-names.ts"
import type { Model, Allows } from "./model.ts"
import { originalVendors } from "./original-vendors.ts"

/** A provider in the settings, used for choosing among models with the same name. */
export interface NamedProvider {
  readonly id: string
  readonly vendor: string
  /** The provider's region, if its vendor has regions. */
  readonly region?: string | undefined
}

const MAX_NAME_LENGTH = 256

/**
 * Finds models by the vendors' own names, such as `gpt-5.4`, `claude-sonnet-4-5-20250929` and
 * `gemini-2.5-flash-latest`.
 */
export class OriginalNames {
  /** Models by their vendors' names and by their public ids, with the preferred one first. */
  readonly #models: ReadonlyMap<string, readonly Model[]>
  /** Maps the families of `-latest` names to their newest members. Built on first use. */
  #newest: ReadonlyMap<string, string> | undefined

  /**
   * @param models sorted by id.
   * @param providers in the order of the settings.
   */
  constructor(models: readonly Model[], providers: readonly NamedProvider[]) {
    this.#models = modelsByName(models, providers)
  }

  /**
   * Returns the model of a name. Among several models, the first that the key may call is preferred. If the key may
   * call none of them, the first model is returned, so that its rejection can be reported.
   */
  find(name: string, allows?: Allows): Model | undefined {
    if (name.length > MAX_NAME_LENGTH) return undefined
    const models = this.#resolve(name)
    return models?.find(({ id }) => allows?.(id) !== false) ?? models?.[0]
  }

  #resolve(name: string): readonly Model[] | undefined {
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
  /** Compared element by element. The model with the lowest rank is preferred. */
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
      // A name that starts with a provider's id belongs only to that provider.
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
 * Returns the names of a model with their distances, which are 0 for exact names. They include the name after the
 * provider, the vendor's name if all deployments share it, and the maker's names at Bedrock.
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
  // The exact names are set last, so that they override derived names.
  return names.set(splitId(id).name, 0).set(upstream, 0)
}

function byRank(left: Candidate, right: Candidate): number {
  for (const [at, rank] of left.rank.entries()) {
    const difference = rank - (right.rank[at] ?? 0)
    if (difference !== 0) return difference
  }
  // Equal ranks keep the order of the ids.
  return 0
}
