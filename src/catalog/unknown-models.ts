import { parseDecimal } from "#contract/decimal.ts"
import { withoutKeys } from "../canon/key-shapes.ts"
import type { ModelSettings, Settings } from "../config/settings.ts"
import { periodParts } from "../ledger/price-periods.ts"
import { buildModel, type ModelSources, splitId } from "./build-model.ts"
import type { Facts, ModelFacts, PriceFacts } from "./facts.ts"
import { isPriced, type Model } from "./model.ts"
import { originalVendors } from "./original-vendors.ts"
import { readPrice, modeFactors, readPeriod } from "./read-price.ts"
import { compareNumbers } from "./dated-names.ts"

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

/** The parts of a name: words identify its family, and numbers order the family's members. */
interface NameParts {
  readonly family: string
  readonly version: readonly number[]
}

/** Maximum digits of a version number. Dates and editions are longer: `20250929`, `2411`, `001`. */
const MAX_VERSION_DIGITS = 2

/**
 * Splits a name into its family and version: `gpt-5.4-mini` into `gpt mini` and 5.4, `claude-opus-4-8` into `claude
 * opus` and 4.8. Undefined for a name without a version.
 */
export function nameParts(name: string): NameParts | undefined {
  const words: string[] = []
  const version: number[] = []
  for (const part of name.toLowerCase().split(/[-/@:_]/)) {
    const numbers = part.match(/\d+/g) ?? []
    const word = part.replace(/[\d.]+/g, "")
    if (word !== "") words.push(word)
    for (const digits of numbers) {
      if (digits.length <= MAX_VERSION_DIGITS) version.push(Number(digits))
    }
  }
  return version.length === 0 || words.length === 0
    ? undefined
    : { family: words.join(" "), version }
}

/**
 * Returns the assumed facts of a model that is newer than all known models of its family: the family's kind and longest
 * limits, and the highest price of each class.
 * @returns undefined if the family is unknown, or for an older model, which may have cost more.
 */
export function familyFacts(
  models: NonNullable<Facts["vendors"][string]>,
  name: string,
): ModelFacts | undefined {
  const wanted = nameParts(name)
  if (wanted === undefined) return undefined
  const members = Object.entries(models).flatMap(([known, facts]) => {
    const parts = nameParts(known)
    return parts?.family === wanted.family && facts.price
      ? [{ parts, facts, price: facts.price }]
      : []
  })
  const [first] = members.toSorted((left, right) =>
    compareNumbers(right.parts.version, left.parts.version),
  )
  if (first === undefined || compareNumbers(wanted.version, first.parts.version) <= 0)
    return undefined
  const { kind, owner } = first.facts
  const peers = members.filter(({ facts }) => facts.kind === kind)
  const contexts = peers.flatMap(({ facts }) => facts.context ?? [])
  const outputs = peers.flatMap(({ facts }) => facts.max_output ?? [])
  return {
    kind,
    ...(owner !== undefined && { owner }),
    ...(contexts.length > 0 && { context: Math.max(...contexts) }),
    ...(outputs.length > 0 && { max_output: Math.max(...outputs) }),
    ...(first.facts.dialects && { dialects: first.facts.dialects }),
    ...(first.facts.own_searches !== undefined && { own_searches: first.facts.own_searches }),
    price: highestPrices(peers.flatMap(({ price }) => cardsOf(price))),
  }
}

/** Returns the price outside of all periods, and the price of each period. */
function cardsOf({ periods = [], ...own }: PriceFacts): PriceFacts[] {
  const inPeriods = periods.map((period) => {
    const { card } = periodParts(readPeriod(period))
    return { ...own, ...card, modes: { ...own.modes, ...card.modes } } as PriceFacts
  })
  return [own, ...inPeriods]
}

/** Returns the highest price of each class, tier and mode. */
function highestPrices(prices: readonly PriceFacts[]): PriceFacts {
  const starts = new Set(prices.flatMap(({ tiers }) => tiers?.map(({ above }) => above) ?? []))
  const tiers = [...starts]
    .toSorted((left, right) => left - right)
    .map((above) => ({ above, ...highest(prices.map((price) => ratesAbove(price, above))) }))
  const modes = highest(prices.map(modeFactors))
  return {
    ...highest(prices.map(ratesOf)),
    ...(tiers.length > 0 && { tiers }),
    ...(Object.keys(modes).length > 0 && { modes }),
  }
}

function ratesAbove(price: PriceFacts, above: number): Record<string, string> {
  const tier = price.tiers?.findLast((each) => each.above <= above)
  return { ...ratesOf(price), ...(tier && ratesOf(tier)) }
}

function ratesOf(table: Readonly<Record<string, unknown>>): Record<string, string> {
  const rates: Record<string, string> = {}
  for (const [name, value] of Object.entries(table))
    if (typeof value === "string") rates[name] = value
  return rates
}

function highest(tables: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const result: Record<string, string> = {}
  for (const table of tables) {
    for (const [name, value] of Object.entries(table)) {
      const known = result[name]
      if (known === undefined || parseDecimal(value, 9) > parseDecimal(known, 9))
        result[name] = value
    }
  }
  return result
}
