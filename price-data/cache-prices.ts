import { exceeds, fromNanos, nanos } from "./decimal.ts"
import type { Price, PriceClass, Rates, Tier, TieredRates } from "./shape.ts"

/** The vendor that sells a model, and the owner of the model. */
export interface Seller {
  readonly vendor: string
  readonly owner: string | undefined
}

/** Classes of tokens written to a cache. */
export const WRITES = ["cache_write", "cache_write_1h", "cache_write_12h"] as const

/**
 * Prices of caches in percent of the input price, if the lists have none. alibabacloud.com/help/en/model-studio/
 * context-cache: 125 % for writes, and 20 % for hits of the automatic cache.
 */
const cachePercents: Readonly<Record<string, Readonly<Partial<Record<PriceClass, bigint>>>>> = {
  alibaba: { cached_input: 20n, cache_write: 125n },
}

/**
 * Alibaba's hits of a cache that a request marks with `cache_control`, which responses report as the cache type
 * `ephemeral`. The same page: each request has hits of one kind only, and these cost 10 % of the input price.
 */
const MARKED_CACHE = { vendor: "alibaba", owner: "qwen", mode: "ephemeral", percent: 10n }

/**
 * Vendors whose listed price of cache writes to Google's models is only the storage, for five minutes or for an hour.
 * openrouter.ai/docs/guides/best-practices/prompt-caching: a cache write costs the input price and five minutes of
 * storage.
 */
const storageVendors: ReadonlySet<string> = new Set(["openrouter", "requesty"])

/**
 * Adds missing prices of caches to rates, and removes wrong ones.
 * @param base the price to which the rates belong, as listed.
 */
export function finishCache(rates: Rates, base: Rates, seller: Seller): void {
  withoutFreeCache(rates, base.input)
  if (isStorage(seller) && base.cache_write !== undefined) rates.cache_write ??= base.cache_write
  if (rates.input !== undefined && rates.audio_input === undefined) {
    for (const [name, percent] of Object.entries(cachePercents[seller.vendor] ?? {})) {
      rates[name as PriceClass] ??= fromNanos((nanos(rates.input) * percent) / 100n)
    }
  }
  finishWrites(rates, seller)
}

/**
 * Corrects prices of cache writes that are lower than the input price, since writes include the input, and prices that
 * are an hour of storage. MiniMax has one price of writes for models with different input prices.
 */
export function finishWrites(rates: Rates, seller: Seller): void {
  const { input } = rates
  for (const name of WRITES) {
    const write = rates[name]
    if (input === undefined || write === undefined) continue
    if (isStorage(seller) && nanos(write) >= 2n * nanos(input)) {
      // ai.google.dev/gemini-api/docs/pricing lists storage by the hour. Five minutes cost less than the input.
      rates[name] = fromNanos(nanos(input) + nanos(write) / 12n)
    }
    if (!isLower(write, input)) continue
    if (isStorage(seller)) rates[name] = fromNanos(nanos(input) + nanos(write))
    else if (seller.owner !== "minimax") delete rates[name]
  }
  withHourWrite(rates, seller.owner)
}

/** Returns the mode with the price of a marked cache, if it is lower than that of the automatic cache. */
export function markedCacheMode(
  price: Price,
  { vendor, owner }: Seller,
): Record<string, TieredRates> | undefined {
  if (vendor !== MARKED_CACHE.vendor || owner !== MARKED_CACHE.owner) return undefined
  const marked = markedHits(price)
  const tiers = (price.tiers ?? []).map((tier): Tier => {
    return { above: tier.above, ...markedHits({ ...price, ...tier }) }
  })
  const isLower = [price, ...(price.tiers ?? [])].some(({ cached_input: listed }, index) => {
    const own = [marked, ...tiers][index]?.cached_input
    return listed !== undefined && own !== undefined && exceeds(listed, own)
  })
  if (!isLower) return undefined
  return { [MARKED_CACHE.mode]: { ...marked, ...(tiers.length > 0 && { tiers }) } }
}

/**
 * Returns the rates of input and of hits. With the unchanged price of input, the mode lowers no other price if it is
 * used as a factor.
 */
function markedHits({ input, cached_input: listed }: Rates): Rates {
  if (input === undefined || listed === undefined) return {}
  const own = fromNanos((nanos(input) * MARKED_CACHE.percent) / 100n)
  return { input, cached_input: exceeds(listed, own) ? own : listed }
}

/** Adds input classes that a tier omits. They rise with the price of input. */
export function raiseWithInput(tier: Rates, base: Rates): void {
  if (tier.input === undefined || base.input === undefined || base.input === "0") return
  for (const name of [...WRITES, "image_input"] as const) {
    const usual = base[name]
    if (usual === undefined || tier[name] !== undefined || isLower(usual, base.input)) continue
    tier[name] = fromNanos((nanos(usual) * nanos(tier.input)) / nanos(base.input))
  }
}

function isStorage({ vendor, owner }: Seller): boolean {
  return owner === "google" && storageVendors.has(vendor)
}

/** Whether a price is lower than the input price by more than the rounding of lists. */
function isLower(price: string, input: string): boolean {
  return nanos(price) * 1_005n < nanos(input) * 1_000n
}

// Removes cache prices of zero. In the lists, "0" means "not priced separately", and these tokens cost as much as
// input.
function withoutFreeCache(rates: Rates, input: string | undefined): void {
  if (input === undefined || input === "0") return
  for (const name of ["cached_input", ...WRITES] as const) {
    if (rates[name] === "0") delete rates[name]
  }
  // For models without a cache, a list repeats the input price, rounded up.
  if (rates.cached_input !== undefined && exceeds(rates.cached_input, rates.input ?? input)) {
    delete rates.cached_input
  }
}

// Adds the price of one-hour cache writes. Anthropic publishes the prices of both kinds of writes as multiples of the
// input price: 1.25 for five minutes, and 2 for an hour. The lists have only the first. The check excludes prices with
// other ratios.
function withHourWrite(rates: Rates, owner: string | undefined): void {
  const { input, cache_write: write } = rates
  if (owner !== "anthropic" || input === undefined || write === undefined) return
  if (rates.cache_write_1h !== undefined) return
  if (nanos(write) * 4n === nanos(input) * 5n) rates.cache_write_1h = fromNanos(nanos(input) * 2n)
}
