import { formatDecimal } from "#contract/decimal.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Loss } from "../../canon/extra.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { Writable } from "../../canon/writable.ts"
import type { Deployment, Model, Stage, PreferenceReason } from "../../catalog/model.ts"
import { combineInOrder, withDeployments } from "../../catalog/several-models.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import { type Price, type Rates, ratesFor } from "../../ledger/price.ts"
import type { Call } from "../request/call.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"
import {
  PRICE_LIMITS,
  type MaxPrice,
  type ProviderPreferences,
} from "../request/routing-preferences.ts"

type Asking = Pick<Call, "key" | "preferences" | "hidesCosts">

/**
 * Returns the requested model, together with models that may respond in its place. The key must be allowed to call each
 * of them, and each has its own price.
 * @throws GatewayError like `Catalog.require`, with the name of the field.
 */
export function askedModel(
  { catalog, clients }: Pick<RuntimeConfig, "catalog" | "clients">,
  name: string,
  kind: ModelKind,
  { key, preferences }: Asking,
): Model {
  const model = catalog.require(name, kind, key)
  if (preferences?.models === undefined) return model
  const isRouted = hasRouter(model, clients)
  let isIgnored = false
  const others = preferences.models.flatMap((other, index) => {
    try {
      return [naming(`models[${index}]`, () => catalog.require(other, kind, key))]
    } catch (thrown) {
      if (!isRouted || !isUnknownModel(thrown)) throw thrown
      isIgnored = true
      return []
    }
  })
  const models = new Map<string, Model>()
  for (const one of [model, ...others]) if (!models.has(one.id)) models.set(one.id, one)
  const asked = models.size === 1 ? model : combineInOrder(model, [...models.values()], "models")
  return isIgnored ? ignoring(asked, ["models"]) : asked
}

/**
 * Whether OpenRouter serves a model. Requests for such a model may use OpenRouter's own names of models and providers.
 */
function hasRouter({ deployments }: Model, clients: RuntimeConfig["clients"]): boolean {
  return deployments.some(({ provider }) => clients.get(provider)?.vendor.id === "openrouter")
}

function isUnknownModel(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.kind === "model_not_found"
}

/** Returns a model with a record of the parts of the request that it ignores. */
function ignoring(model: Model, names: readonly string[]): Model {
  const { ignored = [] } = model
  return { ...model, ignored: [...ignored, ...names.map((name) => dropped(name))] }
}

function dropped(name: string): Loss {
  return { name, effect: "dropped" }
}

/** Runs a function, and adds the name of the parameter to its error. */
function naming<T>(parameter: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw new GatewayError(thrown.kind, thrown.message, { ...thrown.details, parameter })
  }
}

/** Facts about a request that determine how its preferences apply. */
export interface PreferenceInput {
  readonly call: Asking
  readonly config: Pick<RuntimeConfig, "clients">
  /**
   * Returns the maximum input tokens, because long inputs can have a higher price. It is only called if the request
   * limits the price.
   */
  readonly inputTokens: () => number
  /** Whether the model only has deployments that store the state to which the request refers. */
  readonly isKept?: boolean
}

/**
 * Returns a model with the deployments that the caller prefers, in the caller's order.
 * @throws GatewayError `invalid_value` that names the preference which excludes all deployments.
 */
export function preferredModel(model: Model, input: PreferenceInput): Model {
  const preferences = input.call.preferences?.provider
  if (preferences === undefined) return model
  if (input.call.hidesCosts === true) rejectProviderNames(preferences)
  const { clients } = input.config
  const { known, ignored, unknown } = knownPreferences(preferences, clients)
  if (unknown !== undefined && !hasRouter(model, clients)) throw unknown
  const chosen = new Choosing(model, input, known).chosen()
  return ignored.length === 0 ? chosen : ignoring(chosen, ignored)
}

interface KnownPreferences {
  readonly known: ProviderPreferences
  /** Names of fields that are ignored, or that have unknown members. */
  readonly ignored: readonly string[]
  /**
   * The error for the first unknown name. An unknown name causes an error, because a misspelled provider could lead to
   * a provider that the caller does not want.
   */
  readonly unknown: GatewayError | undefined
}

/** The preferences that name providers. */
const NAMING = ["order", "only", "ignore"] as const

/**
 * Rejects names of providers from a caller that does not see them. Otherwise, errors would reveal which names exist.
 */
function rejectProviderNames(preferences: ProviderPreferences): void {
  const name = NAMING.find((one) => preferences[one] !== undefined)
  if (name === undefined) return
  throw invalidValue(
    `provider.${name}`,
    `'provider.${name}' cannot be used, because this gateway does not show its providers. Leave it out.`,
  )
}

/** Returns the preferences that name providers and fields of this gateway. */
function knownPreferences(
  preferences: ProviderPreferences,
  clients: RuntimeConfig["clients"],
): KnownPreferences {
  const { order: _, only: _1, ignore: _2, ...rest } = preferences
  const known: Writable<ProviderPreferences> = rest
  const ignored = preferences.unknown.map(({ details }) => details.parameter ?? "provider")
  let [unknown] = preferences.unknown
  for (const name of NAMING) {
    const list = preferences[name]
    if (list === undefined) continue
    const own = list.filter((provider) => clients.has(provider))
    if (own.length > 0) known[name] = own
    const index = list.findIndex((provider) => !clients.has(provider))
    if (index === -1) continue
    ignored.push(`provider.${name}`)
    unknown ??= unknownProvider(`provider.${name}[${index}]`, list[index])
  }
  return { known, ignored, unknown }
}

function unknownProvider(place: string, provider = ""): GatewayError {
  return invalidValue(
    place,
    `'${place}' is '${provider.slice(0, 100)}', and there is no such provider here. Providers are named as in the header x-tollgate-provider.`,
  )
}

/** Chooses the deployments for one request. */
class Choosing {
  readonly #model: Model
  readonly #input: PreferenceInput
  readonly #preferences: ProviderPreferences
  #left: readonly Deployment[]
  /** The preference that last excluded a deployment. */
  #reason: PreferenceReason | undefined

  constructor(model: Model, input: PreferenceInput, preferences: ProviderPreferences) {
    this.#model = model
    this.#input = input
    this.#preferences = preferences
    this.#left = model.deployments.filter(({ price }) => price !== undefined)
  }

  chosen(): Model {
    const { order, only, ignore, maxPrice, allowsFallbacks } = this.#preferences
    if (only) this.#keep("provider.only", ({ provider }) => only.includes(provider))
    if (ignore) this.#keep("provider.ignore", ({ provider }) => !ignore.includes(provider))
    if (order && !allowsFallbacks) {
      this.#keep("provider.order", ({ provider }) => order.includes(provider))
    }
    if (maxPrice) {
      const tokens = this.#input.inputTokens()
      this.#keep("provider.max_price", ({ price }) => isWithin(price, maxPrice, tokens))
    }
    const deployments = this.#staged()
    const model = withDeployments(this.#model, deployments)
    const isDecided = deployments.length === 1 && this.#reason !== undefined
    return isDecided && this.#reason ? { ...model, reason: this.#reason } : model
  }

  #keep(preference: PreferenceReason, isWanted: (deployment: Deployment) => boolean): void {
    const left = this.#left.filter(isWanted)
    if (left.length === 0) throw this.#nothingLeft(preference)
    if (left.length < this.#left.length) this.#reason = preference
    this.#left = left
  }

  #nothingLeft(preference: PreferenceReason): GatewayError {
    const { id, requestedAs = id } = this.#model
    const { models } = this.#input.call.preferences ?? {}
    const what =
      models === undefined ? `the model \`${requestedAs}\`` : "any of the request's models"
    if (this.#input.isKept) {
      return invalidValue(
        preference,
        `The request refers to content stored at a provider that '${preference}' excludes. Change the reference or '${preference}'.`,
      )
    }
    const hint = preference === "provider.max_price" ? cheapestHint(this.#left, this.#input) : ""
    return invalidValue(
      preference,
      `'${preference}' excludes every provider of ${what}. Relax it or request another model.${hint}`,
    )
  }

  /** Returns the deployments in the caller's order; unchanged if the caller set no order. */
  #staged(): readonly Deployment[] {
    const { order = [], sort, sortsAll, allowsFallbacks } = this.#preferences
    const isAlone = !allowsFallbacks && order.length === 0
    if (order.length === 0 && sort === undefined && !isAlone) return this.#left
    const { strategy = "weight" } = this.#model
    return this.#left.map((deployment) => {
      const usual: Stage = deployment.stage ?? { place: 0, strategy }
      const found = order.indexOf(deployment.provider)
      const isFound = found !== -1
      const rank = isFound ? found : order.length
      const place = (sort !== undefined && sortsAll ? 0 : usual.place) * (order.length + 1) + rank
      const reason = isFound ? "provider.order" : sort ? "provider.sort" : usual.reason
      const stage = {
        place,
        strategy: sort ?? usual.strategy,
        ...(reason !== undefined && { reason }),
        ...(isAlone && { isAlone }),
      }
      return { ...deployment, stage }
    })
  }
}

/**
 * Returns the amounts of a price for each of the limits, in units of 10^-15 credits per million. An amount is zero if
 * the price does not charge the class.
 */
function amountsOf({ multiplier, ...price }: Price, inputTokens: number): Required<MaxPrice> {
  const rates: Rates = ratesFor({ ...price, multiplier }, inputTokens)
  return {
    prompt: (rates.inputFresh ?? rates.audioInput ?? 0n) * multiplier,
    completion: (rates.output ?? rates.audioOutput ?? 0n) * multiplier,
    request: (rates.requests ?? 0n) * multiplier,
    image: (rates.images ?? 0n) * multiplier,
  }
}

function isWithin(price: Price | undefined, max: MaxPrice, inputTokens: number): boolean {
  if (price === undefined) return false
  const amounts = amountsOf(price, inputTokens)
  return PRICE_LIMITS.every((name) => amounts[name] <= (max[name] ?? amounts[name]))
}

/** Number of decimal places of an amount. */
const PLACES = 15

/** Returns a hint that states the lowest price which the caller would have to accept. */
function cheapestHint(
  deployments: readonly Deployment[],
  { call, inputTokens }: PreferenceInput,
): string {
  const max = call.preferences?.provider?.maxPrice ?? {}
  const tokens = inputTokens()
  const least = PRICE_LIMITS.flatMap((name) => {
    const limit = max[name]
    const amounts = deployments.flatMap(({ price }) =>
      price ? [amountsOf(price, tokens)[name]] : [],
    )
    if (limit === undefined || amounts.length === 0) return []
    const min = amounts.reduce((left, right) => (right < left ? right : left))
    const isOne = name === "request" || name === "image"
    return [`${name} ${formatDecimal(min, isOne ? PLACES + 6 : PLACES)}`]
  })
  return ` The lowest prices are: ${least.join(", ")}.`
}
