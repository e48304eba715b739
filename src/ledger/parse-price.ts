import {
  NAME_OF_CLASS,
  type PriceName,
  USAGE_CLASSES,
  type UsageClass,
} from "#contract/usage-classes.ts"
import { MAX_MINIMUM_SECONDS } from "#contract/amounts.ts"
import { parseDecimal } from "#contract/decimal.ts"
import type { PeriodTimes } from "#contract/price-periods.ts"
import { MAX_MULTIPLIER, MAX_RATE } from "../accounting/maxima.ts"
import { parseCredits } from "./money.ts"
import type { Mode, Price, Rates } from "./price.ts"

type DecimalRates = Readonly<Partial<Record<PriceName, string>>>

/** Rates, and the rates for longer inputs. */
interface TieredRates extends DecimalRates {
  readonly tiers?: readonly (DecimalRates & { readonly above: number })[]
}

/** A factor with at most six decimal places, or the rates of token classes. */
export type DecimalMode = string | TieredRates

/** The prices of a model or of one of its periods. */
interface DecimalCard extends TieredRates {
  /** Minimum seconds charged per request, from 1 to 3600. */
  readonly minimum_seconds?: string
  /** Image rates by size and quality: `1024x1024/hd`, `1024x1024` or `hd`. */
  readonly images?: Readonly<Record<string, string>>
  /** Modes by their names: `priority`, `flex`, `fast`. */
  readonly modes?: Readonly<Record<string, DecimalMode>>
}

/** Prices that replace the prices of the same names while the period applies. */
export interface DecimalPeriod extends DecimalCard, PeriodTimes {
  readonly name?: string
}

/** A price as configured, with decimal text in credits per million units. */
export interface DecimalPrice extends DecimalCard {
  readonly periods?: readonly DecimalPeriod[]
}

/** A vendor's prices for services other than models, with decimal text in credits per million units. */
export type DecimalServices = DecimalRates & Pick<DecimalPrice, "modes">

/**
 * Parses a price without its periods (for these, see `parsePeriods`).
 * @param multiplier decimal text with at most six decimal places.
 * @param services the vendor's prices for services. The price's own rates take precedence.
 * @throws RangeError if a number is not a plain decimal, or is out of range.
 */
export function parsePrice(
  price: DecimalPrice,
  multiplier: string,
  services: DecimalServices = {},
): Price {
  const factor = parseDecimal(multiplier, 6)
  requireWithin(factor, MAX_MULTIPLIER, `multiplier '${multiplier}'`)
  const imageRates = parseImages(price.images)
  const rates = parseRates(price)
  // An image without its own rate is charged at the highest image rate, so that it is not free.
  if (imageRates) rates.images ??= highestOf(imageRates)
  const minimumSeconds = parseMinimum(price.minimum_seconds)
  const tiers = parseTiers(price, rates)
  const serviceRates = parseRates(services)
  const modes = parseModes({ ...services.modes, ...price.modes })
  return {
    rates,
    tiers,
    ...(imageRates && { imageRates }),
    ...(minimumSeconds !== undefined && { minimumSeconds }),
    ...(Object.keys(serviceRates).length > 0 && { services: serviceRates }),
    ...(modes && { modes }),
    multiplier: factor,
  }
}

function parseModes(
  written: Readonly<Record<string, DecimalMode>>,
): ReadonlyMap<string, Mode> | undefined {
  const entries = Object.entries(written)
  if (entries.length === 0) return undefined
  return new Map(entries.map(([name, mode]) => [name, parseMode(name, mode)]))
}

function parseMode(name: string, written: DecimalMode): Mode {
  if (typeof written !== "string") {
    return { rates: parseRates(written), tiers: parseTiers(written, {}) }
  }
  const factor = parseDecimal(written, 6)
  requireWithin(factor, MAX_MULTIPLIER, `mode '${name}: ${written}'`)
  return factor
}

/**
 * Parses tiers, starting with the highest input length.
 * @param base rates of classes that a tier does not name.
 */
function parseTiers({ tiers = [] }: TieredRates, base: Rates): Price["tiers"] {
  return tiers
    .map((tier) => ({ above: tier.above, rates: { ...base, ...parseRates(tier) } }))
    .toSorted((left, right) => right.above - left.above)
}

function parseImages(
  written: Readonly<Record<string, string>> | undefined,
): ReadonlyMap<string, bigint> | undefined {
  const entries = Object.entries(written ?? {})
  if (entries.length === 0) return undefined
  return new Map(
    entries.map(([name, text]) => [name.toLowerCase(), parseRate(`image: ${name}`, text)]),
  )
}

function highestOf(rates: ReadonlyMap<string, bigint>): bigint {
  let max = 0n
  for (const rate of rates.values()) if (rate > max) max = rate
  return max
}

function parseMinimum(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(parseDecimal(text, 0))
  if (seconds >= 1 && seconds <= MAX_MINIMUM_SECONDS) return seconds
  throw new RangeError(
    `price 'minimum_seconds: ${text}' must be a whole number from 1 to ${MAX_MINIMUM_SECONDS}`,
  )
}

function parseRate(name: string, text: string): bigint {
  const rate = parseCredits(text)
  requireWithin(rate, MAX_RATE, `price '${name}: ${text}'`)
  return rate
}

/**
 * Validates a number of a price.
 * @throws RangeError if it is negative, or not below a billion.
 */
function requireWithin(value: bigint, max: bigint, name: string): void {
  if (value < 0n) throw new RangeError(`${name} is negative`)
  if (value >= max) throw new RangeError(`${name} must be below 1000000000`)
}

function parseRates(price: DecimalRates): Partial<Record<UsageClass, bigint>> {
  const rates: Partial<Record<UsageClass, bigint>> = {}
  for (const usageClass of USAGE_CLASSES) {
    const name = NAME_OF_CLASS[usageClass]
    const text = price[name]
    if (text !== undefined) rates[usageClass] = parseRate(name, text)
  }
  return rates
}
