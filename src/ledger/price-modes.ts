import { divideUp } from "#contract/decimal.ts"
import type { UsageClass } from "#contract/usage-classes.ts"
import {
  type Mode,
  type ModeRates,
  type Price,
  rateOf,
  type Rates,
  ratesFor,
  UNIT_FACTOR,
  TOKEN_CLASSES,
} from "./price.ts"

/** A price in a service mode. */
export interface PricedMode {
  readonly price: Price
  /** The highest factor of any class, in millionths. */
  readonly factor: bigint
  /** Whether the mode has one factor for all classes. */
  readonly isUniform: boolean
  /** Whether a class costs more than in the standard mode. */
  readonly isHigher: boolean
  /** Whether a class costs less than in the standard mode. */
  readonly isLower: boolean
}

/** A mode that applies to a request. */
export interface AppliedMode {
  /** The name of the mode in a price; undefined if the price does not name it. */
  readonly key: string | undefined
  /** The factor for prices that lack this mode, in millionths. */
  readonly factor: bigint
}

/** Caches of computed prices. Prices are immutable and few, so each is computed once per factor. */
const multiplied = new WeakMap<Price, Map<bigint, Price>>()
const priced = new WeakMap<Price, Map<string, PricedMode>>()

/** Returns a price whose token rates are multiplied by a factor in millionths, rounded up. */
export function priceTimes(price: Price, factor: bigint): Price {
  if (factor === UNIT_FACTOR) return price
  let known = multiplied.get(price)
  if (known === undefined) multiplied.set(price, (known = new Map<bigint, Price>()))
  let card = known.get(factor)
  if (card === undefined) {
    card = {
      ...price,
      ...cardTimes(price, factor),
      ...(price.modes && { modes: modesTimes(price.modes, factor) }),
      ...(price.listed && { listed: priceTimes(price.listed, factor) }),
      ...(price.periods && { periods: price.periods.map((each) => priceTimes(each, factor)) }),
    }
    known.set(factor, card)
  }
  return card
}

/** Multiplies the rates of modes. Modes that are factors stay the same, because they apply to the multiplied rates. */
function modesTimes(modes: ReadonlyMap<string, Mode>, factor: bigint): ReadonlyMap<string, Mode> {
  return new Map(
    [...modes].map(([name, mode]) => [
      name,
      typeof mode === "bigint" ? mode : cardTimes(mode, factor),
    ]),
  )
}

function cardTimes({ rates, tiers }: ModeRates, factor: bigint): ModeRates {
  return {
    rates: ratesTimes(rates, factor),
    tiers: tiers.map((tier) => ({ above: tier.above, rates: ratesTimes(tier.rates, factor) })),
  }
}

function ratesTimes(rates: Rates, factor: bigint): Rates {
  const scaled: Partial<Record<UsageClass, bigint>> = { ...rates }
  for (const usageClass of TOKEN_CLASSES) {
    const rate = rates[usageClass]
    if (rate !== undefined) scaled[usageClass] = times(rate, factor)
  }
  return scaled
}

function times(rate: bigint, factor: bigint): bigint {
  return divideUp(rate * factor, UNIT_FACTOR)
}

/** Returns a price in one of its modes; undefined if the mode has no price. */
export function modeOf(price: Price, name: string): PricedMode | undefined {
  const mode = price.modes?.get(name)
  if (mode === undefined) return undefined
  let known = priced.get(price)
  if (known === undefined) priced.set(price, (known = new Map<string, PricedMode>()))
  let found = known.get(name)
  if (found === undefined) known.set(name, (found = resolved(price, name, mode)))
  return found
}

/** Returns the modes of a price as their highest factors in millionths, for use with another price. */
export function modeFactorsOf(price: Price): [string, bigint][] {
  const names = [...(price.modes?.keys() ?? [])]
  return names.map((name) => [name, modeOf(price, name)?.factor ?? UNIT_FACTOR])
}

/** Returns a price in several modes, with the rates of one mode multiplied by the factors of the other modes. */
export function priceIn(price: Price, modes: readonly AppliedMode[]): Price {
  if (modes.length === 0) return price
  let base: PricedMode | undefined
  let factor = UNIT_FACTOR
  for (const mode of modes) {
    const own = mode.key === undefined ? undefined : modeOf(price, mode.key)
    if (own === undefined) factor = (factor * mode.factor) / UNIT_FACTOR
    else if (base === undefined) base = own
    else if (own.isUniform) factor = (factor * own.factor) / UNIT_FACTOR
    else {
      factor = (factor * base.factor) / UNIT_FACTOR
      base = own
    }
  }
  return priceTimes(base?.price ?? price, factor)
}

function resolved(price: Price, name: string, mode: Mode): PricedMode {
  if (typeof mode === "bigint") {
    const isHigher = mode > UNIT_FACTOR
    const isLower = mode < UNIT_FACTOR
    return { price: priceTimes(price, mode), factor: mode, isUniform: true, isHigher, isLower }
  }
  const starts = [...new Set([...price.tiers, ...mode.tiers].map(({ above }) => above))]
  const factor = highestFactor(price, mode)
  const rates = ratesIn(price, mode, factor)
  const tiers = starts
    .toSorted((left, right) => right - left)
    .map((above) => ({ above, rates: ratesIn(price, mode, factor, above) }))
  const { listed } = price
  const card: Price = {
    ...price,
    rates,
    tiers,
    ...(listed && { listed: modeOf(listed, name)?.price ?? priceTimes(listed, factor) }),
  }
  const compared = [0, ...starts.map((above) => above + 1)].flatMap((length) => {
    const [usual, own] = [ratesFor(price, length), ratesFor(card, length)]
    return TOKEN_CLASSES.map((each) => rateOf(own, each) - rateOf(usual, each))
  })
  return {
    price: card,
    factor,
    isUniform: false,
    isHigher: compared.some((difference) => difference > 0n),
    isLower: compared.some((difference) => difference < 0n),
  }
}

/** Returns the highest factor of any rate that a mode names, rounded up. */
function highestFactor(price: Price, { rates, tiers }: ModeRates): bigint {
  let max: bigint | undefined
  const cards = [{ rates, usual: price.rates }]
  for (const tier of tiers) {
    cards.push({ rates: tier.rates, usual: ratesFor(price, tier.above + 1) })
  }
  for (const { rates: own, usual } of cards) {
    for (const usageClass of TOKEN_CLASSES) {
      const rate = own[usageClass]
      const base = rateOf(usual, usageClass)
      if (rate === undefined || base === 0n) continue
      const factor = divideUp(rate * UNIT_FACTOR, base)
      if (max === undefined || factor > max) max = factor
    }
  }
  return max ?? UNIT_FACTOR
}

/**
 * Returns the rates of a mode. A class that the mode does not name never costs less than in the standard mode. In a
 * more expensive mode, its rate is multiplied by the highest factor of any class.
 * @param above the tier; undefined for inputs below all tiers.
 */
function ratesIn(price: Price, mode: ModeRates, factor: bigint, above?: number): Rates {
  const usual = above === undefined ? price.rates : ratesFor(price, above + 1)
  const tier = above === undefined ? undefined : mode.tiers.find((each) => each.above <= above)
  const rates: Partial<Record<UsageClass, bigint>> = { ...usual }
  for (const usageClass of TOKEN_CLASSES) {
    const standard = usual[usageClass]
    const isBase = standard === price.rates[usageClass]
    const named = tier?.rates[usageClass] ?? (isBase ? mode.rates[usageClass] : undefined)
    const rate = named ?? (standard && times(standard, factor > UNIT_FACTOR ? factor : UNIT_FACTOR))
    if (rate !== undefined) rates[usageClass] = rate
  }
  return rates
}
