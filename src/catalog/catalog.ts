import type { GatewayError } from "../canon/errors.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import { entryOf } from "./entry.ts"
import {
  type Deployment,
  inChats,
  isFree,
  isPriced,
  type Model,
  type Allows,
  type ModelRights,
} from "./model.ts"
import { nearestNames } from "./nearest-names.ts"
import type { PriceGroups } from "./price-groups.ts"
import { atPricesOf, pricedUntil } from "./prices-in-force.ts"
import { type NamedProvider, OriginalNames } from "./original-names.ts"
import type { UnknownModels } from "./unknown-models.ts"
import { once } from "../canon/once.ts"
import {
  deadAlias,
  newerThanKnown,
  notAllowed,
  notFound,
  notPriced,
  ofOtherKind,
} from "./rejections.ts"
import type { ModelGroup } from "./several-models.ts"

/** Maximum suggested names in an error message. */
const MAX_SUGGESTIONS = 3

export interface CatalogParts {
  readonly models: readonly Model[]
  readonly modelGroups: readonly ModelGroup[]
  /** Maps aliases to the ids of their models. */
  readonly aliases: ReadonlyMap<string, string>
  /** Providers in the order of the settings. */
  readonly providers: readonly NamedProvider[]
  /** Requested models that the catalog does not contain. */
  readonly unknown: UnknownModels
  readonly groups: PriceGroups
  /** Returns the current time in Unix milliseconds. */
  readonly clock: () => number
  /** One line for each provider that cannot be called because it has no models. */
  readonly withoutModels: readonly string[]
}

/** The callable models and their list. Immutable: new settings create a new catalog. */
export class Catalog {
  /** One line for each provider that cannot be called because it has no models. */
  readonly withoutModels: readonly string[]
  /** All models except groups. */
  readonly #models: readonly Model[]
  /** All models and groups. */
  readonly #listed: readonly Model[]
  readonly #modelGroups: ReadonlyMap<string, ModelGroup>
  readonly #byId: ReadonlyMap<string, Model>
  readonly #aliases: ReadonlyMap<string, string>
  readonly #originalNames: OriginalNames
  readonly #unknown: UnknownModels
  readonly #groups: PriceGroups
  readonly #clock: () => number
  readonly #freeKinds = once(() => new Set(this.#listed.filter(isFree).flatMap(servedKinds)))
  readonly #entries = new WeakMap<Model, string>()
  #wholeBody: { readonly text: string; readonly from: number; readonly until: number } | undefined

  constructor({ models, modelGroups, aliases, providers, unknown, groups, ...rest }: CatalogParts) {
    this.#clock = rest.clock
    this.withoutModels = rest.withoutModels
    this.#models = byId(models)
    this.#listed = byId([...models, ...modelGroups.map(({ model }) => model)])
    this.#modelGroups = new Map(modelGroups.map((group) => [group.model.id, group]))
    this.#byId = new Map(this.#listed.map((model) => [model.id, model]))
    this.#aliases = aliases
    this.#unknown = unknown
    this.#groups = groups
    this.#originalNames = new OriginalNames(this.#models, providers)
  }

  /** Finds a model by its public id. */
  find(id: string): Model | undefined {
    return this.#byId.get(id)
  }

  /**
   * Resolves the model in a request by its id, by an alias of the key or of the settings, or by its name at its vendor.
   * An alias stands for an id and never for another alias. Text that clients add to a name is ignored unless a model
   * has the exact name. Other names may belong to newer, unknown models.
   */
  resolve(name: string, rights: ModelRights = {}): Model | undefined {
    const found = this.#named(name, rights)
    if (found !== undefined || this.#aliasOf(name, rights) !== undefined) return found
    const bare = withoutMarks(name)
    const meant = bare === undefined ? undefined : this.#named(bare, rights)
    return meant ?? this.#unknown.find(bare ?? name)
  }

  #named(name: string, rights: ModelRights): Model | undefined {
    const listed = this.#byId.get(name)
    if (listed !== undefined) return listed
    const alias = this.#aliasOf(name, rights)
    if (alias !== undefined) return this.#byId.get(alias) ?? this.#unknown.find(alias)
    return this.#originalNames.find(name, rights.allows)
  }

  /** Returns the public id of the provider's model with an upstream name; undefined if there is none. */
  idOf(provider: string, upstreamModel: string): string | undefined {
    const isSame = (deployment: Deployment): boolean =>
      deployment.provider === provider && deployment.upstreamModel === upstreamModel
    const named = this.#byId.get(`${provider}/${upstreamModel}`)
    if (named?.deployments.some(isSame)) return named.id
    return this.#models.find(({ deployments }) => deployments.some(isSame))?.id
  }

  /**
   * Lists models and groups by id. If `allows` is given, only those that the key may call are listed.
   * @param kind all kinds if absent.
   */
  list(allows?: Allows, kind?: ModelKind): readonly Model[] {
    const listed =
      kind === undefined ? this.#listed : this.#listed.filter((model) => model.kind === kind)
    if (allows === undefined) return listed
    return listed.flatMap((model) => this.#permitted(model, allows) ?? [])
  }

  /**
   * Returns the first model of a kind that the key may call, at the key's prices. Groups are excluded, since callers
   * must name them.
   * @param isUsable whether a model supports the request; if absent, all do.
   */
  first(
    kind: ModelKind,
    rights: ModelRights,
    isUsable: (model: Model) => boolean = () => true,
  ): Model | undefined {
    const { allows } = rights
    const found = this.#models.find(
      (model) =>
        model.kind === kind && isPriced(model) && allows?.(model.id) !== false && isUsable(model),
    )
    return found && this.priced(found, rights)
  }

  /** Returns a model with the prices that currently apply to a key. */
  priced(model: Model, rights: ModelRights = {}): Model {
    const now = this.#clock()
    return this.#groups.priced(atPricesOf(model, now), rights.priceGroup, now)
  }

  /** Whether requests for a kind of model may be free. Keys with individual prices are checked each time. */
  hasFree(kind: ModelKind, rights: ModelRights): boolean {
    if (rights.priceGroup === undefined) return this.#freeKinds().has(kind)
    return this.#listed.some(
      (model) => servedKinds(model).includes(kind) && isFree(this.priced(model, rights)),
    )
  }

  /** Models that are listed, but rejected when requested because their cost is unknown. */
  get unpriced(): readonly Model[] {
    return this.#models.filter((model) => !isPriced(model))
  }

  /** Returns up to three similar ids of models that the key may call. */
  nearest(id: string, allows?: Allows): string[] {
    const ids = this.list(allows).map((model) => model.id)
    return nearestNames(id, ids, MAX_SUGGESTIONS)
  }

  /**
   * Returns the model list as JSON text. For unrestricted keys at general prices, the text is cached until the next
   * price change.
   * @param kind all kinds if absent.
   */
  listBody(rights: ModelRights = {}, kind?: ModelKind): string {
    const { allows, priceGroup } = rights
    if (allows !== undefined || priceGroup !== undefined || kind !== undefined) {
      return this.#bodyOf(this.list(allows, kind).map((model) => this.priced(model, rights)))
    }
    const now = this.#clock()
    const known = this.#wholeBody
    if (known !== undefined && known.from <= now && now < known.until) return known.text
    const models = this.#listed.map((model) => atPricesOf(model, now))
    const until = Math.min(Infinity, ...models.map(pricedUntil))
    const text = this.#bodyOf(models)
    this.#wholeBody = { text, from: now, until }
    return text
  }

  /**
   * Returns a listed model.
   * @throws GatewayError `model_not_found`.
   */
  listed(id: string): Model {
    const model = this.#byId.get(id)
    if (model === undefined) throw this.#notFound(id)
    return model
  }

  /**
   * Returns a model that the key may see, with the requested name and the key's prices.
   * @throws GatewayError `model_not_found`.
   */
  visible(name: string, rights?: ModelRights): Model {
    const found = this.resolve(name, rights)
    const model = found && this.#permitted(found, rights?.allows)
    if (model === undefined) throw this.#notFound(name, rights)
    const priced = this.priced(model, rights)
    return model.id === name ? priced : { ...priced, id: name }
  }

  /**
   * Returns the requested model at the current prices. They apply to the request's hold and charge, however long it
   * runs.
   * @throws GatewayError `model_not_found`, `model_not_allowed`, `model_not_supported`, `model_not_priced`.
   */
  require(id: string, kind: ModelKind, rights?: ModelRights): Model {
    const found = this.resolve(id, rights)
    if (found === undefined) throw this.#notFound(id, rights)
    const model = this.#permitted(found, rights?.allows)
    if (model === undefined) throw notAllowed(id)
    const callable = model.kind === kind ? model : kind === "chat" ? inChats(model) : undefined
    if (callable === undefined) throw ofOtherKind(id, model.kind, kind)
    if (!isPriced(callable)) throw notPriced(id)
    const priced = this.priced(callable, rights)
    return model.id === id ? priced : { ...priced, requestedAs: id }
  }

  /**
   * Limits a model to the key's permissions, which may include only some members of a group; undefined if the key may
   * not call it.
   */
  #permitted(model: Model, allows: Allows): Model | undefined {
    if (allows === undefined) return model
    if (model.members !== undefined) return this.#modelGroups.get(model.id)?.permitted(allows)
    return allows(model.id) ? model : undefined
  }

  #aliasOf(name: string, rights: ModelRights): string | undefined {
    return rights.aliases?.get(name) ?? this.#aliases.get(name)
  }

  /**
   * Returns a model that is rejected because it is newer than the price list, at the price that it would have with
   * `unknown_models: family`.
   */
  offer(name: string): Model | undefined {
    return this.resolve(name) === undefined
      ? this.#unknown.offer(withoutMarks(name) ?? name)
      : undefined
  }

  #notFound(name: string, rights: ModelRights = {}): GatewayError {
    const isAlias = this.#aliasOf(name, rights) !== undefined && !this.#byId.has(name)
    if (isAlias) return deadAlias(name)
    const nearest = this.nearest(name, rights.allows)
    const offer = this.#unknown.offer(withoutMarks(name) ?? name)
    const isOffered = offer !== undefined && rights.allows?.(offer.id) !== false
    return isOffered ? newerThanKnown(name, nearest) : notFound(name, nearest)
  }

  #bodyOf(models: readonly Model[]): string {
    const entries = models.map((model) => {
      let entry = this.#entries.get(model)
      if (entry === undefined) {
        entry = JSON.stringify(entryOf(model))
        this.#entries.set(model, entry)
      }
      return entry
    })
    return `{"object":"list","data":[${entries.join(",")}]}`
  }
}

/**
 * Removes text that clients add to a name: the prefix `models/` of Google's resource names, and the suffix `[1m]` of
 * Claude Code for the context length. Returns undefined if the name has neither.
 */
function withoutMarks(name: string): string | undefined {
  if (!name.startsWith("models/") && !name.endsWith("]")) return undefined
  const bare = name.replace(/^models\//, "").replace(/(?:\[1m\]){1,2}$/i, "")
  return bare === name ? undefined : bare
}

/** Sorts by code unit, because locale order differs between machines. */
function byId(models: readonly Model[]): readonly Model[] {
  return models.toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

/**
 * Returns the kinds of requests that a model can serve. Embedding models also serve rerank requests if there is no
 * reranker.
 */
function servedKinds(model: Model): readonly ModelKind[] {
  const { kind } = model
  if (kind === "embedding") return [kind, "rerank"]
  return kind !== "chat" && inChats(model) ? [kind, "chat"] : [kind]
}
