import { exceeds, highest, fromNanos, nanos } from "./decimal.ts"
import type { Quote } from "./genai-prices.ts"
import { priceClasses, ratesOf } from "./shape.ts"
import type { Kind, Price, PriceClass, Rates, Tier } from "./shape.ts"

interface Preference {
  vendor: string
  name: RegExp
  reason: string
}

// genai-prices is the newer source and wins where it quotes, except:
const modelsDevKnowsBetter: Preference[] = [
  { vendor: "*", name: /-latest$/, reason: "the alias has moved on since the record was written" },
  { vendor: "azure", name: /^phi-/, reason: "the record carries a reseller's price" },
  { vendor: "openai", name: /^gpt-4o-2024-05-13$/, reason: "the first snapshot stayed dearer" },
]

/** Why models.dev's price of a model is preferred to a quote of genai-prices, if it is. */
export function keptReason(
  vendor: string,
  name: string,
  quote: Quote,
  precise: boolean,
): string | undefined {
  if (quote.hourly) return "the quote changes with the time of day"
  if (!precise) return "the quote is of a model whose name is only like this one's"
  return modelsDevKnowsBetter.find(
    (entry) => (entry.vendor === "*" || entry.vendor === vendor) && entry.name.test(name),
  )?.reason
}

/** Lays a quote over the price models.dev lists; classes and tiers only the latter has, stay. */
export function mergePrice(listed: Price | undefined, quote: Quote, higher: PriceClass[]): Price {
  const merged: Price = { ...listed, ...ratesOf(quote.price) }
  for (const name of higher) {
    const value = highest(listed?.[name], quote.price[name])
    if (value !== undefined) merged[name] = value
  }
  delete merged.tiers
  // A record without a long-context price does not say that there is none.
  const tiers = quote.price.tiers ?? (quote.flat ? undefined : listed?.tiers)
  if (tiers !== undefined) merged.tiers = tiers
  return merged
}

/** The classes for which the higher of the two sources' prices is taken. */
export function higherClasses(kind: Kind, stale: boolean): PriceClass[] {
  if (stale) return [...priceClasses]
  // Text and image output have different prices, but neither source counts them separately: never undercharge.
  return kind === "image" ? ["output"] : []
}

/** Brings a price into its final form: order, derived classes, impossible classes removed. */
export function finishPrice(price: Price, kind: Kind, owner: string | undefined): Price {
  const finish = (rates: Rates): Rates => {
    const result = { ...rates }
    if (kind === "embedding" || kind === "rerank") delete result.output
    withoutFreeCache(result, price.input)
    withHourWrite(result, owner)
    return ratesOf(result)
  }
  const finished: Price = finish(price)
  const tiers = price.tiers?.map((tier): Tier => ({ above: tier.above, ...finish(tier) }))
  if (tiers !== undefined) finished.tiers = tiers
  if (price.modes !== undefined) finished.modes = price.modes
  return finished
}

// "0" here means "not priced separately": such tokens then cost what input costs.
function withoutFreeCache(rates: Rates, input: string | undefined): void {
  if (input === undefined || input === "0") return
  for (const name of ["cached_input", "cache_write"] as const) {
    if (rates[name] === "0") delete rates[name]
  }
}

// Anthropic publishes both writes as multiples of input, 1.25 for five minutes and 2 for an hour;
// the sources carry the first alone. The check keeps the rule off prices made otherwise.
function withHourWrite(rates: Rates, owner: string | undefined): void {
  const { input, cache_write: write } = rates
  if (owner !== "anthropic" || input === undefined || write === undefined) return
  if (nanos(write) * 4n === nanos(input) * 5n) rates.cache_write_1h = fromNanos(nanos(input) * 2n)
}

/** The classes that both prices have with different values. */
export function differences(left: Price, right: Price): PriceClass[] {
  const names = Object.keys(ratesOf(left)) as PriceClass[]
  return names.filter((name) => right[name] !== undefined && left[name] !== right[name])
}

/** What a reader should know about a price. */
export function oddities(price: Price): string[] {
  const found: string[] = []
  for (const rates of [price, ...(price.tiers ?? [])]) {
    const {
      input,
      cached_input: cached,
      audio_input: audio,
      cached_audio_input: cachedAudio,
    } = rates
    if (input && cached && exceeds(cached, input)) found.push("cached input is dearer than input")
    if (audio && cachedAudio && exceeds(cachedAudio, audio)) found.push("cached audio is dearer")
  }
  return found
}
