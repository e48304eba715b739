import { MODEL_KINDS, type ModelKind } from "#contract/model-kinds.ts"
import { CLASS_OF_NAME, PRICE_NAMES, type PriceName } from "#contract/usage-classes.ts"
import { PERIOD_MEMBERS, type Weekday } from "#contract/price-periods.ts"
import { multiplierText } from "../ledger/money.ts"
import {
  type DecimalPeriod,
  type DecimalPrice,
  type DecimalServices,
  parsePrice,
} from "../ledger/parse-price.ts"
import type { Price } from "../ledger/price.ts"
import { modeFactorsOf } from "../ledger/price-modes.ts"
import { parsePeriods } from "../ledger/price-periods.ts"
import type { ModeRateFacts, PeriodFacts, PriceFacts } from "./facts.ts"

/** A price, or the reason why there is no price. */
export type ReadPrice =
  | { readonly price: Price; readonly reason?: undefined }
  | { readonly price?: undefined; readonly reason: string }

const KNOWN: ReadonlySet<string> = new Set([
  ...PRICE_NAMES,
  ...PERIOD_MEMBERS,
  "minimum_seconds",
  "above",
  "tiers",
  "modes",
  "periods",
])

/**
 * Reads a price from the settings.
 * @param services charges of the vendor in addition to the model's price.
 */
export function readPrice(
  kind: ModelKind,
  price: DecimalPrice,
  multiplier: string,
  services?: DecimalServices,
): ReadPrice {
  const isPriced = (name: PriceName) =>
    price[name] !== undefined || (name === "image" && price.images !== undefined)
  const missing = MODEL_KINDS[kind].requiredPrices.find((group) => !group.some(isPriced))
  if (missing) {
    return { reason: `its price has no '${missing.join("' or '")}'. Write 0 if it is free` }
  }
  if (price.minimum_seconds !== undefined && price.second === undefined) {
    return { reason: "its price has 'minimum_seconds' without 'second'" }
  }
  try {
    return { price: parsePeriods(price, multiplier, services) }
  } catch (error) {
    return { reason: `its price cannot be read: ${(error as Error).message}` }
  }
}

/**
 * Reads a price that replaces another price of the model. In each required group of classes, both prices must have a
 * class in common, so that each price can bill the usage measured for the other.
 */
export function readReplacementPrice(kind: ModelKind, price: DecimalPrice, own: Price): ReadPrice {
  const read = readPrice(kind, price, "1")
  if (!read.price) return read
  const { rates } = read.price
  const hasCommon = MODEL_KINDS[kind].requiredPrices.every((group) =>
    group.some((name) => {
      const usageClass = CLASS_OF_NAME[name]
      return rates[usageClass] !== undefined && own.rates[usageClass] !== undefined
    }),
  )
  if (hasCommon) return read
  const counted = MODEL_KINDS[kind].requiredPrices
    .flat()
    .filter((name) => own.rates[CLASS_OF_NAME[name]] !== undefined)
  return {
    reason: `the model is priced by '${counted.join("' and '")}', so the price needs it too`,
  }
}

/** Reads a price of the facts. It is rejected if one of its classes cannot be billed. */
export function readPriceFacts(
  kind: ModelKind,
  facts: PriceFacts,
  multiplier: string,
  services?: DecimalServices,
): ReadPrice {
  const cards = [facts, ...(facts.periods ?? [])].flatMap((card) => [card, ...modeRatesOf(card)])
  const unbilled = cards.flatMap((card) => [card, ...(card.tiers ?? [])]).flatMap(unbilledClasses)
  if (unbilled[0] !== undefined) {
    return { reason: `its vendor also charges by '${unbilled[0]}', which cannot be billed` }
  }
  // Only names that `parsePrice` supports remain, and their values are decimal text.
  const { periods, ...card } = facts
  const price = { ...card, ...(periods && { periods: periods.map(readPeriod) }) }
  return readPrice(kind, price, multiplier, services)
}

/** Reads a period of a price list that was validated on import. */
export function readPeriod({ from, until, days, ...others }: PeriodFacts): DecimalPeriod {
  return {
    ...others,
    ...(from !== undefined && { from: Date.parse(from) }),
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(days !== undefined && { days: days as readonly Weekday[] }),
  }
}

/** Returns the rates of the modes that have their own rates. */
function modeRatesOf({ modes = {} }: PriceFacts | PeriodFacts): readonly ModeRateFacts[] {
  return Object.values(modes).flatMap((mode) => (typeof mode === "string" ? [] : [mode]))
}

/**
 * Returns the modes of a price as factors, for use with another price. For a mode with its own rates, this is the
 * highest factor of any class. A mode whose rates cannot be read is omitted.
 */
export function modeFactors(card: PriceFacts | PeriodFacts = {}): Readonly<Record<string, string>> {
  const { modes = {} } = card
  if (modeRatesOf(card).length === 0) return modes as Readonly<Record<string, string>>
  try {
    const factors = modeFactorsOf(parsePrice(card as DecimalPrice, "1"))
    return Object.fromEntries(factors.map(([name, factor]) => [name, multiplierText(factor)]))
  } catch {
    const plain = Object.entries(modes).filter(([, mode]) => typeof mode === "string")
    return Object.fromEntries(plain) as Readonly<Record<string, string>>
  }
}

function unbilledClasses(rates: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(rates).filter((name) => !KNOWN.has(name) && Number(rates[name]) !== 0)
}
