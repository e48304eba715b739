import { divideUp, parseDecimal } from "#contract/decimal.ts"
import { MODEL_KINDS, type ModelKind } from "#contract/model-kinds.ts"
import { CLASS_OF_NAME, fallbackOf, type UsageClass } from "#contract/usage-classes.ts"
import type { PriceGroupSettings, PriceSettings, PriceTermSettings } from "../config/settings.ts"
import { globMatcher } from "#contract/model-glob.ts"
import { type GroupTerm, type Mode, type Price, type Rates, UNIT_FACTOR } from "../ledger/price.ts"
import { modeFactorsOf } from "../ledger/price-modes.ts"
import type { Deployment, Model } from "./model.ts"
import { readReplacementPrice, type ReadPrice } from "./read-price.ts"

type Groups = Readonly<Record<string, PriceGroupSettings>>

/** Applies the prices of price groups to models. */
export class PriceGroups {
  readonly #groups: ReadonlyMap<string, PriceGroup>

  constructor(groups: Groups) {
    this.#groups = new Map(
      Object.entries(groups).map(([id, { terms }]) => [id, new PriceGroup(id, terms)]),
    )
  }

  /**
   * Returns a model with the prices of a group. The result is cached, so that a request needs at most two lookups.
   * @param group undefined for accounts without a group. An unknown group has the general prices.
   * @param now Unix milliseconds.
   */
  priced(model: Model, group: string | undefined, now: number): Model {
    if (group === undefined) return model
    return this.#groups.get(group)?.termAt(now)?.priced(model) ?? model
  }

  /** Returns warnings about unusable prices. */
  warnings(models: readonly Model[]): string[] {
    return [...this.#groups].flatMap(([id, group]) => group.warnings(id, models))
  }
}

class PriceGroup {
  readonly #terms: readonly PriceTerm[]

  constructor(id: string, terms: readonly PriceTermSettings[]) {
    this.#terms = terms.map((term) => new PriceTerm(id, term)).toReversed()
  }

  /** Returns the latest term that has started. */
  termAt(now: number): PriceTerm | undefined {
    return this.#terms.find(({ from }) => from <= now)
  }

  warnings(id: string, models: readonly Model[]): string[] {
    return this.#terms.flatMap((term) =>
      term.faults(models).map((fault) => `price_groups.${id}: ${fault}`),
    )
  }
}

/** A price for all models with matching ids. */
interface PatternPrice {
  readonly pattern: string
  readonly price: PriceSettings
  fits(id: string): boolean
}

/** The prices of a group from a given time onwards. */
class PriceTerm {
  readonly from: number
  readonly #group: string
  readonly #multiplier: bigint
  /** The prices of the rate card by id. Prices by pattern are in `#patterns`, with the longest pattern first. */
  readonly #byId: ReadonlyMap<string, PriceSettings>
  readonly #patterns: readonly PatternPrice[]
  /** Cached models with prices, since models are immutable. */
  readonly #priced = new WeakMap<Model, Model>()

  constructor(group: string, { from, multiplier = "1", prices = {} }: PriceTermSettings) {
    this.from = from
    this.#group = group
    this.#multiplier = parseDecimal(multiplier, 6)
    const card = Object.entries(prices)
    this.#byId = new Map(card.filter(([name]) => !isPattern(name)))
    this.#patterns = card
      .filter(([name]) => isPattern(name))
      .map(([pattern, price]) => ({ pattern, price, fits: globMatcher(pattern) }))
      .toSorted((left, right) => right.pattern.length - left.pattern.length)
  }

  priced(model: Model): Model {
    let priced = this.#priced.get(model)
    if (priced === undefined) {
      const deployments = model.deployments.map((each) =>
        this.#deployment(model.kind, each, this.#cardOf(model, each)),
      )
      priced = { ...model, deployments }
      this.#priced.set(model, priced)
    }
    return priced
  }

  /** Returns the reasons why prices of the rate card are unusable. */
  faults(models: readonly Model[]): string[] {
    const byId = new Map(models.map((model) => [model.id, model]))
    const ofIds = [...this.#byId].flatMap(([id, price]) => {
      const model = byId.get(id)
      return faultsOf(id, price, model ? [model] : [])
    })
    const ofPatterns = this.#patterns.flatMap(({ pattern, price, fits }) =>
      faultsOf(
        pattern,
        price,
        models.filter(({ id }) => fits(id)),
      ),
    )
    return [...ofIds, ...ofPatterns]
  }

  /**
   * Returns the rate card's price for a deployment. A pattern may match models of a kind that the price does not fit.
   * Each member of a model group has a separate price.
   */
  #cardOf({ id: named, kind }: Model, deployment: Deployment): Price | undefined {
    const id = deployment.member?.id ?? named
    const own = this.#byId.get(id)
    const found = this.#patterns.filter(({ fits }) => fits(id)).map(({ price }) => price)
    for (const price of own ? [own, ...found] : found) {
      const read = readFor(kind, price, deployment)
      if (read.price) return read.price
    }
    return undefined
  }

  #deployment(kind: ModelKind, deployment: Deployment, card: Price | undefined): Deployment {
    const { price } = deployment
    if (price === undefined) return deployment
    const multiplier = divideUp(price.multiplier * this.#multiplier, UNIT_FACTOR)
    const term: GroupTerm = { id: this.#group, from: this.from }
    if (card === undefined) {
      const group = { ...term, multiplier: this.#multiplier }
      return { ...deployment, price: { ...price, multiplier, group } }
    }
    const services = timesEach(price.services, multiplier)
    const features = timesEach(featureRates(kind, price, card), multiplier)
    const modes = new Map<string, Mode>([...modeFactorsOf(price), ...(card.modes ?? [])])
    return {
      ...deployment,
      price: {
        ...card,
        rates: { ...features, ...card.rates },
        tiers: card.tiers.map((tier) => ({ ...tier, rates: { ...features, ...tier.rates } })),
        ...(services && { services }),
        ...(modes.size > 0 && { modes }),
        group: term,
        listed: price,
      },
    }
  }
}

/** The classes of features that are billed in addition to the tokens or units of a model. */
const FEATURES = [
  "searches",
  "premiumSearches",
  "mapSearches",
  "fileSearches",
  "codeSessions",
  "requests",
  "mediumRequests",
  "lowRequests",
] as const satisfies readonly UsageClass[]

/** Returns the model's own rates of features that a rate card does not price. */
function featureRates(kind: ModelKind, { rates }: Price, card: Price): Rates {
  const counted = MODEL_KINDS[kind].requiredPrices.flat().map((name) => CLASS_OF_NAME[name])
  const isPriced = (usageClass: UsageClass): boolean => {
    const parent = fallbackOf(usageClass)
    return card.rates[usageClass] !== undefined || (parent !== undefined && isPriced(parent))
  }
  const kept = FEATURES.filter((name) => !counted.includes(name) && !isPriced(name))
  return Object.fromEntries(
    kept.flatMap((name) => (rates[name] === undefined ? [] : [[name, rates[name]]])),
  )
}

/** Returns a rate card's price for a deployment. A deployment without its own price stays uncallable. */
function readFor(kind: ModelKind, price: PriceSettings, { price: own }: Deployment): ReadPrice {
  return own === undefined
    ? { reason: "the model has no general price. Set one first" }
    : readReplacementPrice(kind, price, own)
}

/** Returns the reasons why a price of a rate card is unusable for all of its models. */
function faultsOf(name: string, price: PriceSettings, meant: readonly Model[]): string[] {
  if (meant.length === 0) return [`there is no model '${name}', so its price is not used`]
  let reason: string | undefined
  for (const { kind, deployments } of meant) {
    for (const deployment of deployments) {
      const read = readFor(kind, price, deployment)
      if (read.price) return []
      reason ??= read.reason
    }
  }
  return [`the price of '${name}' is not used: ${reason}`]
}

function isPattern(name: string): boolean {
  return /[*?]/.test(name)
}

/** Multiplies rates by a factor in millionths, rounded up. */
function timesEach(rates: Rates | undefined, factor: bigint): Rates | undefined {
  if (rates === undefined) return undefined
  const entries = Object.entries(rates) as [keyof Rates, bigint][]
  return Object.fromEntries(
    entries.map(([name, rate]) => [name, divideUp(rate * factor, UNIT_FACTOR)]),
  )
}
