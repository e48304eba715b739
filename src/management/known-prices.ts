import { PERIOD_MEMBERS } from "#contract/price-periods.ts"
import { PRICE_NAMES } from "#contract/usage-classes.ts"
import facts from "../catalog/facts.json" with { type: "json" }
import type { Facts, ModelFacts, PeriodFacts, PriceFacts } from "../catalog/facts.ts"
import { kindOf } from "../catalog/known-models.ts"
import type { Model } from "../catalog/model.ts"
import { readPeriod, readPrice } from "../catalog/read-price.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import { vendors } from "../vendors/index.ts"

/** A known price for a model that has no price. */
export interface KnownEntry {
  readonly kind: ModelKind
  /** The price in the format of `tollgate.yaml`. */
  readonly price: Readonly<Record<string, unknown>>
  /** The source of the price, such as `OpenAI: gpt-4o`. */
  readonly source: string
}

/**
 * Vendors that resell models of other vendors under their original names. Prices of resellers are only used if no other
 * price is known.
 */
const RESELLERS = new Set(["openrouter", "huggingface"])

/** Finds prices for models that are not listed for their configured vendor. */
export class KnownPrices {
  /** The list of known prices that is searched. */
  readonly facts: Facts
  /** Known models by the last part of their names. */
  #byName: Map<string, { readonly vendor: string; readonly name: string }[]> | undefined

  constructor(known: Facts = facts) {
    this.facts = known
  }

  /**
   * Finds a price by the vendor's name for the model, or else by the operator's name.
   * @param vendorOf returns the vendor of a provider.
   */
  find(model: Model, vendorOf: (provider: string) => string | undefined): KnownEntry | undefined {
    const publicName = model.id.slice(model.id.indexOf("/") + 1)
    for (const { provider, upstreamModel } of model.deployments) {
      for (const name of new Set([upstreamModel, publicName])) {
        const found = this.#bestOf(name, vendorOf(provider), model.kind)
        if (found) return found
      }
    }
    return undefined
  }

  #bestOf(wanted: string, own: string | undefined, kind: ModelKind): KnownEntry | undefined {
    const candidates = this.#named(lastPart(wanted))
      .map((candidate) => ({ ...candidate, rank: this.#rankOf(candidate, own, wanted) }))
      .toSorted((left, right) => left.rank - right.rank)
    for (const { vendor, name } of candidates) {
      const known = this.facts.vendors[vendor]?.[name]
      const entry = known && entryOf(known, kind)
      if (entry) return { ...entry, source: `${vendors.get(vendor)?.name ?? vendor}: ${name}` }
    }
    return undefined
  }

  /**
   * Ranks a candidate. The configured vendor comes first, followed by the model's maker and by other vendors. For each,
   * exact names come first.
   */
  #rankOf(
    { vendor, name }: { readonly vendor: string; readonly name: string },
    own: string | undefined,
    wanted: string,
  ): number {
    const maker = this.facts.vendors[vendor]?.[name]?.owner
    const isMaker = maker !== undefined && lastPart(maker) === vendor
    const distance = vendor === own ? 0 : isMaker ? 2 : RESELLERS.has(vendor) ? 6 : 4
    return distance + (name === wanted ? 0 : 1)
  }

  #named(name: string): readonly { readonly vendor: string; readonly name: string }[] {
    this.#byName ??= this.#index()
    return this.#byName.get(name) ?? []
  }

  #index(): Map<string, { readonly vendor: string; readonly name: string }[]> {
    const index = new Map<string, { readonly vendor: string; readonly name: string }[]>()
    for (const [vendor, models] of Object.entries(this.facts.vendors)) {
      for (const name of Object.keys(models ?? {})) {
        const known = index.get(lastPart(name)) ?? []
        index.set(lastPart(name), [...known, { vendor, name }])
      }
    }
    return index
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).toLowerCase()
}

function entryOf(known: ModelFacts, kind: ModelKind): Omit<KnownEntry, "source"> | undefined {
  if (known.price === undefined || kindOf(known) !== kind) return undefined
  const periods = (known.price.periods ?? []).flatMap(billablePeriod)
  const card = billable(known.price)
  const read = readPrice(kind, { ...card, periods: periods.map(readPeriod) }, "1")
  // An invalid price is not suggested.
  if (read.price === undefined) return undefined
  return { kind, price: { ...card, ...(periods.length > 0 && { periods }) } }
}

/**
 * Returns the billable classes of a price. The vendor's other classes do not apply after an operator has adopted the
 * price.
 */
function billable(price: PriceFacts | PeriodFacts) {
  const { tiers, minimum_seconds: minimum } = price
  return {
    ...rates(price),
    ...(typeof minimum === "string" && { minimum_seconds: minimum }),
    ...(tiers && { tiers: tiers.map((tier) => ({ above: tier.above, ...rates(tier) })) }),
  }
}

/** Returns a billable period without service modes, because these are not adopted. */
function billablePeriod(period: PeriodFacts): PeriodFacts[] {
  const prices = billable(period)
  if (Object.keys(prices).length === 0) return []
  const given = PERIOD_MEMBERS.filter((name) => period[name] !== undefined)
  return [{ ...Object.fromEntries(given.map((name) => [name, period[name]])), ...prices }]
}

function rates(table: Readonly<Record<string, unknown>>): Record<string, string> {
  const names = PRICE_NAMES.filter((name) => typeof table[name] === "string")
  return Object.fromEntries(names.map((name) => [name, String(table[name])]))
}
