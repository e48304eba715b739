import { totalInput, type Usage, type UsageClass } from "../canon/usage.ts"
import { divideUp, parseCredits, parseDecimal } from "./money.ts"

/** Nanocredits per million units, by class of usage. A class that is absent falls back (`rateOf`). */
export type Rates = Readonly<Partial<Record<UsageClass, bigint>>>

/** A rate card and the operator's factor on it. */
export interface Price {
  readonly rates: Rates
  /** Longest context first: the first tier whose `above` the input exceeds prices the whole request. */
  readonly tiers: readonly { readonly above: number; readonly rates: Rates }[]
  /**
   * Rates of pictures that cost otherwise, by size and quality: `1024x1024/hd`, `1024x1024` or `hd`.
   * They take the place of the rate of `images` (`priceOfPictures`).
   */
  readonly pictures?: ReadonlyMap<string, bigint>
  /** Millionths. */
  readonly multiplier: bigint
}

/** One line of a receipt's arithmetic. */
export interface CostLine {
  readonly class: UsageClass
  /** Whole units: a part of a second counts as one. */
  readonly quantity: number
  /** Nanocredits per million units. */
  readonly rate: bigint
}

/** A cost and how it came about: ceil(sum(quantity x rate) x multiplier), rounded once, up. */
export interface Cost {
  readonly lines: readonly CostLine[]
  readonly multiplier: bigint
  /** Nanocredits. */
  readonly total: bigint
}

/** The words of `tollgate.yaml` for the classes of usage. */
export const CLASS_OF_NAME = {
  input: "inputFresh",
  cached_input: "inputCacheRead",
  cache_write: "inputCacheWrite",
  cache_write_1h: "inputCacheWriteLong",
  output: "output",
  audio_input: "audioInput",
  image_input: "imageInput",
  audio_output: "audioOutput",
  image: "images",
  character: "characters",
  second: "seconds",
  search: "searches",
  request: "requests",
} as const satisfies Record<string, UsageClass>

/** What an unpriced class costs: the class it is a kind of, never nothing. */
const FALLBACK: Partial<Record<UsageClass, UsageClass>> = {
  inputCacheRead: "inputFresh",
  inputCacheWrite: "inputFresh",
  inputCacheWriteLong: "inputCacheWrite",
  audioInput: "inputFresh",
  imageInput: "inputFresh",
  audioOutput: "output",
}

const PRICED_CLASSES = Object.values(CLASS_OF_NAME)
/** What quantity x rate x multiplier is divided by: a rate is per million units, a multiplier in millionths. */
export const COST_SCALE = 1_000_000n * 1_000_000n

type DecimalRates = Readonly<Partial<Record<keyof typeof CLASS_OF_NAME, string>>>

/** A price as written, decimal text in credits per million units. */
export interface DecimalPrice extends DecimalRates {
  readonly tiers?: readonly (DecimalRates & { readonly above: number })[]
  /** By size and quality: `1024x1024/hd`, `1024x1024` or `hd`. */
  readonly pictures?: Readonly<Record<string, string>>
}

/**
 * Reads a price.
 * @param multiplier decimal text with at most six digits after the point.
 * @throws RangeError when a number is no plain decimal, or is negative.
 */
export function parsePrice(price: DecimalPrice, multiplier: string): Price {
  const factor = parseDecimal(multiplier, 6)
  if (factor < 0n) throw new RangeError(`multiplier '${multiplier}' is negative`)
  const pictures = parsePictures(price.pictures)
  const rates = parseRates(price)
  // A picture of a kind without a rate is never free: it costs what the dearest kind does.
  if (pictures) rates.images ??= dearestOf(pictures)
  const tiers = (price.tiers ?? [])
    .map((tier) => ({ above: tier.above, rates: { ...rates, ...parseRates(tier) } }))
    .toSorted((left, right) => right.above - left.above)
  return { rates, tiers, ...(pictures && { pictures }), multiplier: factor }
}

function parsePictures(
  written: Readonly<Record<string, string>> | undefined,
): ReadonlyMap<string, bigint> | undefined {
  const entries = Object.entries(written ?? {})
  if (entries.length === 0) return undefined
  return new Map(entries.map(([name, text]) => [name, parseRate(`image: ${name}`, text)]))
}

function dearestOf(rates: ReadonlyMap<string, bigint>): bigint {
  let most = 0n
  for (const rate of rates.values()) if (rate > most) most = rate
  return most
}

function parseRate(name: string, text: string): bigint {
  const rate = parseCredits(text)
  if (rate < 0n) throw new RangeError(`price '${name}: ${text}' is negative`)
  return rate
}

function parseRates(price: DecimalRates): Partial<Record<UsageClass, bigint>> {
  const rates: Partial<Record<UsageClass, bigint>> = {}
  for (const [name, usageClass] of Object.entries(CLASS_OF_NAME)) {
    const text = price[name as keyof typeof CLASS_OF_NAME]
    if (text !== undefined) rates[usageClass] = parseRate(name, text)
  }
  return rates
}

/** The rates that hold for a request with this much input. */
export function ratesFor(price: Price, inputTokens: number): Rates {
  for (const tier of price.tiers) if (inputTokens > tier.above) return tier.rates
  return price.rates
}

/** Nanocredits per million units of a class; an unpriced class costs what the class it belongs to does. */
export function rateOf(rates: Rates, usageClass: UsageClass): bigint {
  const rate = rates[usageClass]
  if (rate !== undefined) return rate
  const fallback = FALLBACK[usageClass]
  return fallback === undefined ? 0n : rateOf(rates, fallback)
}

/** What a usage costs at a price. */
export function costOf(usage: Usage, price: Price): Cost {
  const rates = price.tiers.length === 0 ? price.rates : ratesFor(price, totalInput(usage))
  const lines: CostLine[] = []
  let sum = 0n
  for (const usageClass of PRICED_CLASSES) {
    const quantity = Math.ceil(usage[usageClass])
    if (quantity <= 0) continue
    const rate = rateOf(rates, usageClass)
    lines.push({ class: usageClass, quantity, rate })
    sum += BigInt(quantity) * rate
  }
  const total = divideUp(sum * price.multiplier, COST_SCALE)
  return { lines, multiplier: price.multiplier, total }
}
