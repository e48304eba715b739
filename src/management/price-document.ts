import { CLASS_OF_NAME, PRICE_NAMES } from "#contract/usage-classes.ts"
import { isPriced, type Model } from "../catalog/model.ts"
import { formatCredits, multiplierText } from "../ledger/money.ts"
import { type Price, type PricePeriod, rateOf, type Rates, ratesFor } from "../ledger/price.ts"
import type { Model as ModelDocument } from "#contract/catalog.ts"

type PriceTable = Record<string, string>

type PriceMembers = "price" | "minimum_seconds" | "price_tiers" | "price_pictures" | "price_periods"
type PeriodDocument = ModelDocument["price_periods"][number]

/**
 * The price of a model before the multiplier, in credits per million units, outside of its periods and in each period.
 * With several deployments, each class has the highest price, as for holds.
 */
export function priceDocument(model: Model): Pick<ModelDocument, PriceMembers> {
  const prices = model.deployments.flatMap(({ price }) => price ?? [])
  if (!isPriced(model)) {
    return { price: null, price_tiers: [], price_pictures: null, price_periods: [] }
  }
  return { ...cardDocument(prices), price_periods: periodDocuments(prices) }
}

/**
 * Returns the price that is in force; null if it does not depend on the time.
 * @param model at the prices in force.
 */
export function priceInForce({ deployments }: Model): ModelDocument["price_in_force"] {
  const prices = deployments.flatMap(({ price }) => price ?? [])
  const times = prices.flatMap(({ inForce }) => inForce ?? [])
  if (times.length === 0) return null
  const period = times.find(({ index }) => index >= 0)
  return {
    ...cardDocument(prices),
    period: period === undefined ? null : (period.name ?? ""),
    from: momentText(Math.max(...times.map(({ from }) => from))),
    until: momentText(Math.min(...times.map(({ until }) => until))),
  }
}

function momentText(at: number | undefined): string | null {
  return at !== undefined && Number.isFinite(at) ? new Date(at).toISOString() : null
}

function cardDocument(prices: readonly Price[]) {
  const thresholds = new Set(prices.flatMap(({ tiers }) => tiers.map(({ above }) => above)))
  return {
    price: highestRates(prices.map(({ rates }) => rates)),
    price_tiers: [...thresholds]
      .toSorted((left, right) => left - right)
      .map((above) => ({
        above,
        price: highestRates(prices.map((price) => ratesFor(price, above + 1))),
      })),
    price_pictures: pictures(prices),
    ...minimumDocument(prices),
  }
}

/** Returns the longest minimum of seconds, if there is one. */
function minimumDocument(prices: readonly Price[]): Pick<ModelDocument, "minimum_seconds"> {
  const minimums = prices.flatMap(({ minimumSeconds }) => minimumSeconds ?? [])
  return minimums.length === 0 ? {} : { minimum_seconds: Math.max(...minimums) }
}

/** Merges periods with the same times, since deployments mostly share periods. */
function periodDocuments(prices: readonly Price[]): PeriodDocument[] {
  const all = prices.flatMap(({ periods }) => periods?.periods ?? [])
  const kinds = new Map(all.map((period) => [keyOf(period), period]))
  return [...kinds].map(([key, { name, times }]) => {
    const own = prices.map((price) => ({
      base: price,
      price: price.periods?.periods.find((period) => keyOf(period) === key)?.price ?? price,
    }))
    return {
      name: name ?? null,
      from: momentText(times.from),
      until: momentText(times.until),
      zone: times.zone ?? null,
      days: times.days === undefined ? null : [...times.days],
      hours: times.hours === undefined ? null : [...times.hours],
      ...cardDocument(own.map(({ price }) => price)),
      modes: changedModes(own),
    }
  })
}

function keyOf({ name, times }: PricePeriod): string {
  return JSON.stringify([name, times])
}

/** Returns the factors that differ from those outside of the period, as decimal text. */
function changedModes(
  prices: readonly { readonly base: Price; readonly price: Price }[],
): PriceTable {
  const changed = prices.flatMap(({ base, price }) =>
    [...(price.modes ?? [])].filter(([mode, factor]) => base.modes?.get(mode) !== factor),
  )
  const names = new Set(changed.map(([mode]) => mode))
  return Object.fromEntries(
    [...names].map((name) => {
      const factors = prices.flatMap(({ price }) => price.modes?.get(name) ?? [])
      return [name, multiplierText(max(factors))]
    }),
  )
}

/** A class that only one of them prices costs the others what its parent class does. */
function highestRates(all: readonly Rates[]): PriceTable {
  const table: PriceTable = {}
  for (const name of PRICE_NAMES) {
    const usageClass = CLASS_OF_NAME[name]
    if (all.every((rates) => rates[usageClass] === undefined)) continue
    table[name] = formatCredits(max(all.map((rates) => rateOf(rates, usageClass))))
  }
  return table
}

function pictures(prices: readonly Price[]): PriceTable | null {
  const names = new Set(prices.flatMap((price) => [...(price.imageRates?.keys() ?? [])]))
  if (names.size === 0) return null
  const rates = [...names].map((name) => {
    const known = prices.map(
      (price) => price.imageRates?.get(name) ?? rateOf(price.rates, "images"),
    )
    return [name, formatCredits(max(known))] as const
  })
  return Object.fromEntries(rates)
}

function max(rates: readonly bigint[]): bigint {
  return rates.reduce((left, right) => (right > left ? right : left), 0n)
}
