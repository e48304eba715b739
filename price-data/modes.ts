import {
  CLASS_OF_NAME,
  fallbackOf,
  NAME_OF_CLASS,
  TOKEN_PRICE_NAMES,
} from "tollgate-contract/usage-classes.ts"
import { factorBetween, fromNanos, highest, nanos } from "./decimal.ts"
import { type Mode, type Price, type PriceClass, type Rates, ratesOf } from "./shape.ts"
import type { Tier, TieredRates } from "./shape.ts"

/** The price of a model in one list. */
interface Quote {
  readonly price: Price
}

/** The factor 1, expressed in millionths. */
const SAME = 1_000_000n

/**
 * Selects the service modes of a price. The first list that contains a mode is used, and missing classes are added from
 * other lists. If a list has another price for the model, only the highest factor of its rates is used.
 * @param quotes all lists, starting with those that have the selected price.
 * @param winners the lists that have the selected price.
 */
export function chosenModes(
  quotes: readonly Quote[],
  winners: readonly Quote[],
): Record<string, Mode> {
  const names = new Set(quotes.flatMap(({ price }) => Object.keys(price.modes ?? {})))
  const modes: Record<string, Mode> = {}
  for (const name of names) {
    const listed = quotes.flatMap((quote) => usableMode(quote, name, winners) ?? [])
    const [first] = listed
    if (first === undefined) continue
    const others = listed.filter((mode) => typeof mode !== "string")
    modes[name] = typeof first === "string" ? first : others.reduceRight(completed, first)
  }
  return modes
}

function usableMode(quote: Quote, name: string, winners: readonly Quote[]): Mode | undefined {
  const mode = quote.price.modes?.[name]
  if (mode === undefined || typeof mode === "string" || winners.includes(quote)) return mode
  return factorBetween(quote.price, mode)
}

/** Returns a mode with the additional classes and tiers of another list. */
function completed(other: TieredRates, own: TieredRates): TieredRates {
  const { tiers: added = [], ...rates } = other
  const { tiers: known = [], ...named } = own
  const starts = [...new Set([...known, ...added].map(({ above }) => above))]
  const tiers = starts
    .toSorted((left, right) => left - right)
    .map((above): Tier => {
      return { ...tierAt(added, above), ...tierAt(known, above), above }
    })
  return { ...rates, ...named, ...(tiers.length > 0 && { tiers }) }
}

function tierAt(tiers: readonly Tier[] | undefined, above: number): Tier | undefined {
  return tiers?.find((tier) => tier.above === above)
}

/**
 * Converts the rates of a mode to their final form. If all classes have the same factor, the result is that factor.
 * Otherwise, it has the classes and tiers of the price.
 * @returns undefined if the mode has no class of the price.
 */
export function finishMode(mode: TieredRates, price: Price): Mode | undefined {
  const rates = withShared(fitting(mode, price), price)
  const discount = discountOf(rates, price)
  const tiers = (price.tiers ?? []).flatMap((tier): Tier[] => {
    const usual = { ...price, ...tier }
    const { above } = tier
    const own = tierAt(mode.tiers, above)
    if (own !== undefined) return [{ above, ...withShared(fitting(own, usual), usual) }]
    return discount === undefined ? [] : [{ above, ...withShared({}, usual, discount) }]
  })
  const named = [{ own: rates, usual: ratesOf(price) }]
  for (const tier of tiers) {
    named.push({ own: tier, usual: { ...price, ...tierAt(price.tiers, tier.above) } })
  }
  const factors = new Set(named.flatMap(({ own, usual }) => factorsOf(own, usual)))
  const [factor] = factors
  if (factor === undefined) return undefined
  const isComplete =
    tiers.length === (price.tiers ?? []).length &&
    named.every(({ own, usual }) => tokenClasses(usual).every((name) => own[name] !== undefined))
  // In a more expensive mode, a class without a value gets the highest factor.
  if (factors.size === 1 && factor !== null && (isComplete || factor >= SAME)) {
    return fromNanos(factor * 1_000n)
  }
  return { ...rates, ...(tiers.length > 0 && { tiers }) }
}

/**
 * Returns a mode as a factor, for prices that change over time. A class that the mode does not contain costs at least
 * as much as in the standard mode.
 */
export function asFactor(mode: TieredRates, price: Price): string {
  const factor = factorBetween(price, mode) ?? "1"
  const names = tokenClasses(price)
  const isComplete = price.tiers === undefined && names.every((name) => mode[name] !== undefined)
  return isComplete ? factor : (highest(factor, "1") ?? "1")
}

/** Returns the rates of a mode for the token classes of a price. */
function fitting(mode: Rates, price: Rates): Rates {
  const rates: Rates = {}
  for (const name of tokenClasses(price)) {
    const fallback = fallbackOf(CLASS_OF_NAME[name])
    const parent = fallback && (NAME_OF_CLASS[fallback] as PriceClass)
    // If a class costs the same as its parent class, it also does so in the mode.
    const isLikeParent = parent !== undefined && price[name] === price[parent]
    const rate = known(mode[name], price[name]) ?? (isLikeParent ? rates[parent] : undefined)
    if (rate !== undefined) rates[name] = rate
  }
  return plausible(rates, price)
}

/** Classes that can cost as much as in the standard mode, although the mode is cheaper. */
const CACHES: ReadonlySet<string> = new Set<PriceClass>([
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "cache_write_12h",
  "cached_audio_input",
])

/**
 * Returns the rates of a mode with the classes that its list omits, if input and output have the same factor. Lists
 * omit the images, recordings and long prompts of some cheaper modes (ai.google.dev/gemini-api/docs/optimization: Flex
 * costs half; developers.openai.com/api/docs/pricing).
 */
function withShared(rates: Rates, price: Rates, factor = discountOf(rates, price)): Rates {
  if (factor === undefined) return rates
  const shared: Rates = { ...rates }
  for (const name of tokenClasses(price)) {
    if (CACHES.has(name)) continue
    shared[name] ??= fromNanos((nanos(price[name] ?? "0") * factor) / SAME)
  }
  return shared
}

/** Returns the factor of a cheaper mode in millionths, if input and output share it. */
function discountOf({ input = "0", output = "0" }: Rates, price: Rates): bigint | undefined {
  const [factor, other] = factorsOf({ input, output }, price)
  const isDiscount = input !== "0" && typeof factor === "bigint" && factor < SAME
  return isDiscount && factor === other ? factor : undefined
}

/** Minimum factor of a class, relative to the factors of input and output. A lower factor is a mistake in the list. */
const LOWEST_PART = 0.75

function plausible(rates: Rates, price: Rates): Rates {
  const factorOf = (name: PriceClass) => Number(rates[name]) / Number(price[name])
  const usual = (["input", "output"] as const).map(factorOf).filter((factor) => factor > 0)
  const min = Math.min(...usual) * LOWEST_PART
  const names = Object.keys(rates) as PriceClass[]
  return Object.fromEntries(
    names.flatMap((name) => (factorOf(name) < min ? [] : [[name, rates[name]]])),
  )
}

/**
 * Returns a rate; undefined if it is unknown. A rate of zero for a class that has a price means that the list does not
 * contain the rate.
 */
function known(rate: string | undefined, usual: string | undefined): string | undefined {
  return rate === "0" && usual !== "0" ? undefined : rate
}

const TOKENS: ReadonlySet<string> = new Set(TOKEN_PRICE_NAMES)

function tokenClasses(rates: Rates): PriceClass[] {
  return (Object.keys(ratesOf(rates)) as PriceClass[]).filter((name) => TOKENS.has(name))
}

/** Returns the factor of each class in millionths; null if a factor has more digits. */
function factorsOf(own: Rates, usual: Rates): (bigint | null)[] {
  return (Object.keys(ratesOf(own)) as PriceClass[]).map((name) => {
    const [rate, base] = [nanos(own[name] ?? "0"), nanos(usual[name] ?? "0")]
    if (base === 0n) return rate === 0n ? SAME : null
    return (rate * SAME) % base === 0n ? (rate * SAME) / base : null
  })
}
