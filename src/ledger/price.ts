import {
  fallbackOf,
  INPUT_CLASSES,
  OUTPUT_CLASSES,
  USAGE_CLASSES,
  type UsageClass,
} from "#contract/usage-classes.ts"
import type { Stretch } from "../accounting/period-calendar.ts"
import { MAX_QUANTITY, storedAmount } from "../accounting/maxima.ts"
import { totalInput, type Usage } from "../canon/usage.ts"
import { divideUp } from "#contract/decimal.ts"
import type { PeriodTimes } from "#contract/price-periods.ts"

/** Nanocredits per million units, by usage class. A missing class has the rate of its parent (see `rateOf`). */
export type Rates = Readonly<Partial<Record<UsageClass, bigint>>>

/** A rate card with the operator's factor. */
export interface Price {
  readonly rates: Rates
  /**
   * Tiers, starting with the longest context. The first tier whose `above` is below the input length applies to the
   * whole request.
   */
  readonly tiers: readonly { readonly above: number; readonly rates: Rates }[]
  /**
   * Image rates that depend on size and quality: `1024x1024/hd`, `1024x1024` or `hd`. They replace the rate of `images`
   * (see `priceOfImages`).
   */
  readonly imageRates?: ReadonlyMap<string, bigint>
  /** Minimum seconds charged for the audio of a request. */
  readonly minimumSeconds?: number
  /**
   * Rates of a vendor's services other than models, such as web searches. They apply to services without a rate in
   * `rates`, and are only held for requests that use the service.
   */
  readonly services?: Rates
  /** Additional amount that is held for all tool calls of a request together, but never charged. */
  readonly held?: bigint
  /** Service modes by name. `modeOf` returns the complete price of a mode. */
  readonly modes?: ReadonlyMap<string, Mode>
  /** Multiplier in millionths. */
  readonly multiplier: bigint
  /** Set if a price group determines the price. */
  readonly group?: GroupTerm
  /** The price that was replaced by the rate card of a price group. */
  readonly listed?: Price
  /** Prices that temporarily replace this price. A price in force has no periods. */
  readonly periods?: PricePeriods
  /** Set if the price is in force for a limited time. */
  readonly inForce?: InForce
}

/** A service mode, which is a factor on all token rates in millionths, or has its own rates. */
export type Mode = bigint | ModeRates

/** Token rates in a service mode. They may lack some of the classes and tiers of the price. */
export interface ModeRates {
  readonly rates: Rates
  /** Tiers, starting with the longest context. */
  readonly tiers: Price["tiers"]
}

/** The interval during which a price is in force. */
export interface InForce extends Stretch {
  /** The name of the period; absent if the period has no name, or outside of all periods. */
  readonly name?: string
}

/** A period with its own prices. */
export interface PricePeriod {
  readonly name?: string
  readonly times: PeriodTimes
  readonly price: Price
}

/** The periods of a price, and the price outside of them. Moments are Unix milliseconds. */
export interface PricePeriods {
  readonly base: Price
  readonly periods: readonly PricePeriod[]
  /** The price outside of all periods, followed by the prices of the periods. */
  readonly prices: readonly Price[]
  /** Returns the price in force at a moment. */
  at(now: number): Price
  /** Returns the period that applies at a moment; undefined outside of all periods. */
  periodAt(now: number): PricePeriod | undefined
  /** Returns the next moment with another price; infinite if no change is known. */
  changeAfter(now: number): number
  /** Returns the starts and ends of periods after `now`. */
  datesAfter(now: number): readonly number[]
  /** Returns the same periods with other prices. */
  map(change: (price: Price) => Price): PricePeriods
}

/** The term of a price group that determines a price. */
export interface GroupTerm {
  readonly id: string
  /** When the term took effect, in Unix milliseconds. */
  readonly from: number
  /**
   * The group's factor in millionths, which is included in the price's multiplier; absent if the rate card sets the
   * price.
   */
  readonly multiplier?: bigint
}

/** One line of a receipt's arithmetic. */
export interface CostLine {
  readonly class: UsageClass
  /** Whole units. A fraction of a second counts as one second. */
  readonly quantity: number
  /** Set if less was used than the price's minimum, which is then the quantity. */
  readonly isMinimum?: true
  /** Nanocredits per million units. */
  readonly rate: bigint
  /** Set if the line is for a model other than the request's. */
  readonly model?: string
}

/** A cost and its calculation: ceil(sum(quantity x rate) x multiplier). It is rounded up once. */
export interface Cost {
  readonly lines: readonly CostLine[]
  readonly multiplier: bigint
  /** The cost in nanocredits. */
  readonly total: bigint
}

/** The divisor of quantity x rate x multiplier. Rates are per million units, and multipliers are in millionths. */
export const COST_SCALE = 1_000_000n * 1_000_000n

/** Returns the rates of a request with the given number of input tokens. */
export function ratesFor(price: Price, inputTokens: number): Rates {
  for (const tier of price.tiers) if (inputTokens > tier.above) return tier.rates
  return price.rates
}

/** Returns nanocredits per million units of a class. A class without a price costs the same as its parent class. */
export function rateOf(rates: Rates, usageClass: UsageClass): bigint {
  const rate = rates[usageClass]
  if (rate !== undefined) return rate
  const fallback = fallbackOf(usageClass)
  return fallback === undefined ? 0n : rateOf(rates, fallback)
}

/** Returns nanocredits per million units of a vendor's service; undefined if the service has no price. */
export function serviceRate(price: Price, usageClass: UsageClass): bigint | undefined {
  return price.rates[usageClass] ?? price.services?.[usageClass]
}

/** Whether a price charges for tokens, or for any class, in all of its tiers and periods. */
export function chargesFor(
  { rates, tiers, multiplier, periods }: Price,
  what: "tokens" | "anything",
): boolean {
  if (multiplier === 0n) return false
  if (periods?.prices.every((price) => chargesFor(price, what)) === false) return false
  const classes = what === "tokens" ? TOKEN_CLASSES : USAGE_CLASSES
  const cards = [rates, ...tiers.map((tier) => tier.rates)]
  return cards.every((card) => classes.some((name) => (card[name] ?? 0n) > 0n))
}

/** The factor 1, in millionths. */
export const UNIT_FACTOR = 1_000_000n
/** The only classes that a mode can price. */
export const TOKEN_CLASSES = [...INPUT_CLASSES, ...OUTPUT_CLASSES]

/** Usage of another call or model for the same request, with a separate price. */
export interface SecondUsage {
  /** The other model; absent for another call to the request's own model. */
  readonly model?: string
  readonly usage: Usage
  readonly price: Price
}

/**
 * Returns the cost of the usage at a price.
 * @param others usage of additional calls and models for the same request.
 * @param calls the number of calls in the usage. Each call has its own price tier. If the lengths of the calls are
 *   unknown, the calls are assumed to share the input equally.
 */
export function costOf(
  usage: Usage,
  price: Price,
  others: readonly SecondUsage[] = [],
  calls = 1,
): Cost {
  const lines: CostLine[] = []
  const rates = price.tiers.length === 0 ? price.rates : ratesFor(price, totalInput(usage) / calls)
  let sum = addLines(lines, usage, { price, rates })
  for (const other of others) sum += addOtherLines(lines, other, price)
  const total = storedAmount(divideUp(sum * price.multiplier, COST_SCALE))
  return { lines, multiplier: price.multiplier, total }
}

/** Adds the lines of another call or model. */
function addOtherLines(lines: CostLine[], other: SecondUsage, { multiplier }: Price): bigint {
  const own = other.price.multiplier
  // A receipt has only one multiplier, so the multiplier of another model is included in its rates.
  const scale = (rate: bigint): bigint =>
    own === multiplier || multiplier === 0n ? rate : divideUp(rate * own, multiplier)
  const card = { price: other.price, rates: ratesFor(other.price, totalInput(other.usage)) }
  return addLines(lines, other.usage, card, { model: other.model, scale })
}

/** The model that the lines belong to, and the scaling of its rates. */
interface LineOwner {
  readonly model: string | undefined
  scale(rate: bigint): bigint
}

/** A price with its rates for the length of a prompt. */
interface RateCard {
  readonly price: Price
  readonly rates: Rates
}

function addLines(
  lines: CostLine[],
  usage: Usage,
  { price, rates }: RateCard,
  owner?: LineOwner,
): bigint {
  let sum = 0n
  for (const usageClass of USAGE_CLASSES) {
    const used = Math.min(Math.ceil(usage[usageClass]), MAX_QUANTITY)
    if (used <= 0) continue
    const least = usageClass === "seconds" ? (price.minimumSeconds ?? 0) : 0
    const quantity = Math.max(used, least)
    const known = rates[usageClass] ?? price.services?.[usageClass] ?? rateOf(rates, usageClass)
    const rate = owner === undefined ? known : owner.scale(known)
    const line: CostLine =
      quantity === used
        ? { class: usageClass, quantity, rate }
        : { class: usageClass, quantity, isMinimum: true, rate }
    if (owner === undefined) lines.push(line)
    else addLine(lines, owner.model === undefined ? line : { ...line, model: owner.model })
    sum += BigInt(quantity) * rate
  }
  return sum
}

/** Adds a line, or increases the quantity of a line with the same class, rate and model. */
function addLine(lines: CostLine[], line: CostLine): void {
  const index = lines.findIndex(
    (known) => known.class === line.class && known.rate === line.rate && known.model === line.model,
  )
  const known = lines[index]
  if (known === undefined) lines.push(line)
  else lines[index] = { ...known, quantity: known.quantity + line.quantity }
}
