import { isDeepStrictEqual } from "node:util"
import {
  CLASS_OF_NAME,
  PRICE_NAMES,
  type PriceName,
  TOKEN_PRICE_NAMES,
} from "#contract/usage-classes.ts"
import { isPriced, type Model } from "../catalog/model.ts"
import { formatCredits, multiplierText } from "../ledger/money.ts"
import { type Price, type PricePeriod, rateOf, type Rates, ratesFor } from "../ledger/price.ts"
import { modeOf } from "../ledger/price-modes.ts"
import type {
  Model as ModelDocument,
  ModePrice,
  PricePeriod as PricePeriodDocument,
} from "#contract/catalog.ts"
import { NO_MULTIPLIER, ratesWith } from "../relay/billing/customer-receipt.ts"

type PriceTable = Record<string, string>

type PriceMembers =
  | "price"
  | "minimum_seconds"
  | "price_tiers"
  | "price_images"
  | "price_modes"
  | "price_periods"
type PeriodDocument = ModelDocument["price_periods"][number]

/**
 * Returns the price of a model before the multiplier, in credits per million units, with its periods. If there are
 * several deployments, each class has its highest price, which holds also use.
 */
export function priceDocument(model: Model): Pick<ModelDocument, PriceMembers> {
  const prices = model.deployments.flatMap(({ price }) => price ?? [])
  if (!isPriced(model)) {
    const none = { price: null, price_tiers: [], price_images: null }
    return { ...none, price_modes: {}, price_periods: [] }
  }
  return {
    ...cardDocument(prices),
    price_modes: modeDocuments(prices),
    price_periods: periodDocuments(prices),
  }
}

/**
 * Returns the price in force; null if the price does not depend on the time.
 * @param model a model with the prices in force.
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
  return {
    ...rateDocument(prices),
    price_images: imagePrices(prices),
    ...minimumDocument(prices),
  }
}

function rateDocument(prices: readonly Price[], names: readonly PriceName[] = PRICE_NAMES) {
  const thresholds = new Set(prices.flatMap(({ tiers }) => tiers.map(({ above }) => above)))
  return {
    price: highestRates(
      prices.map(({ rates }) => rates),
      names,
    ),
    price_tiers: [...thresholds]
      .toSorted((left, right) => left - right)
      .map((above) => ({
        above,
        price: highestRates(
          prices.map((price) => ratesFor(price, above + 1)),
          names,
        ),
      })),
  }
}

/** Returns the service modes with their highest factor, or with the highest rates if a mode has its own rates. */
function modeDocuments(prices: readonly Price[]): ModelDocument["price_modes"] {
  const names = new Set(prices.flatMap(({ modes }) => [...(modes?.keys() ?? [])]))
  return Object.fromEntries([...names].map((name) => [name, modeDocument(prices, name)]))
}

function modeDocument(prices: readonly Price[], name: string): ModePrice {
  const priced = prices.flatMap((price) => modeOf(price, name) ?? [])
  if (priced.every(({ isUniform }) => isUniform)) {
    return multiplierText(max(priced.map(({ factor }) => factor)))
  }
  const inMode = prices.map((price) => modeOf(price, name)?.price ?? price)
  return rateDocument(inMode, TOKEN_PRICE_NAMES)
}

/** Returns the highest minimum number of seconds, if there is one. */
function minimumDocument(prices: readonly Price[]): Pick<ModelDocument, "minimum_seconds"> {
  const minimums = prices.flatMap(({ minimumSeconds }) => minimumSeconds ?? [])
  return minimums.length === 0 ? {} : { minimum_seconds: Math.max(...minimums) }
}

/** Merges periods with the same times, because deployments usually have the same periods. */
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

/** Returns the service modes that differ from those outside of the period. */
function changedModes(
  prices: readonly { readonly base: Price; readonly price: Price }[],
): PeriodDocument["modes"] {
  const usual = modeDocuments(prices.map(({ base }) => base))
  const modes = Object.entries(modeDocuments(prices.map(({ price }) => price)))
  const changed = modes.filter(([name, mode]) => !isDeepStrictEqual(mode, usual[name]))
  return Object.fromEntries(changed)
}

/** Returns the highest rate of each class. If a price lacks the class, the rate of its parent class applies. */
function highestRates(all: readonly Rates[], names: readonly PriceName[]): PriceTable {
  const table: PriceTable = {}
  for (const name of names) {
    const usageClass = CLASS_OF_NAME[name]
    if (all.every((rates) => rates[usageClass] === undefined)) continue
    table[name] = formatCredits(max(all.map((rates) => rateOf(rates, usageClass))))
  }
  return table
}

function imagePrices(prices: readonly Price[]): PriceTable | null {
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

/**
 * Returns a model for a caller who does not see the operator's costs: without deployments, and with prices that include
 * the multiplier.
 */
export function customerModel(model: ModelDocument): ModelDocument {
  const { multiplier, price_in_force: inForce } = model
  return {
    ...model,
    ...pricesWith(model, multiplier),
    price_modes: modesWith(model.price_modes, multiplier),
    price_periods: model.price_periods.map((period): PricePeriodDocument => ({
      ...period,
      ...pricesWith(period, multiplier),
      price: ratesWith(period.price, multiplier),
      modes: modesWith(period.modes, multiplier),
    })),
    price_in_force: inForce && {
      ...inForce,
      ...pricesWith(inForce, multiplier),
      price: ratesWith(inForce.price, multiplier),
    },
    price_source: null,
    multiplier: NO_MULTIPLIER,
    deployments: [],
  }
}

type Prices = Pick<ModelDocument, "price" | "price_tiers" | "price_images">

function pricesWith({ price, price_tiers, price_images }: Prices, multiplier: string): Prices {
  return {
    price: price && ratesWith(price, multiplier),
    price_tiers: tiersWith(price_tiers, multiplier),
    price_images: price_images && ratesWith(price_images, multiplier),
  }
}

function tiersWith(
  tiers: ModelDocument["price_tiers"],
  multiplier: string,
): ModelDocument["price_tiers"] {
  return tiers.map(({ above, price }) => ({ above, price: ratesWith(price, multiplier) }))
}

/** Multiplies separate rates of modes. A factor applies to rates that already include the multiplier. */
function modesWith(
  modes: Readonly<Record<string, ModePrice>>,
  multiplier: string,
): Record<string, ModePrice> {
  return Object.fromEntries(
    Object.entries(modes).map(([name, mode]) => [
      name,
      typeof mode === "string"
        ? mode
        : {
            price: ratesWith(mode.price, multiplier),
            price_tiers: tiersWith(mode.price_tiers, multiplier),
          },
    ]),
  )
}
