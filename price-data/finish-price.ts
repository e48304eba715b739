import {
  finishCache,
  finishWrites,
  markedCacheMode,
  raiseWithInput,
  type Seller,
} from "./cache-prices.ts"
import { decimal, exceeds, highest } from "./decimal.ts"
import { mapModes, ratesOf } from "./shape.ts"
import { finishMode } from "./modes.ts"
import type { Kind, Price, Rates, Tier, TieredRates } from "./shape.ts"

/**
 * Converts a list's price to the form in which lists are compared. Classes that do not exist for the kind of model are
 * removed.
 * @param isSearchPriced whether the vendor has separate search prices for single models.
 */
export function comparable(price: Price, kind: Kind, isSearchPriced: boolean): Price {
  const { modes } = price
  const base = fitting(price, kind, isSearchPriced)
  const tiers = price.tiers?.map((tier): Tier => {
    const rates = fitting(tier, kind, isSearchPriced)
    if (kind !== "image" || base.image_output === undefined) return { above: tier.above, ...rates }
    // A tier of an image model applies to its text.
    const images = highest(base.image_output, tier.image_output) ?? base.image_output
    const { output = base.output } = tier
    const text = output === undefined || !exceeds(images, output) ? {} : { output }
    const { output: _, ...others } = rates
    return { above: tier.above, ...others, ...text, image_output: images }
  })
  return {
    ...base,
    ...(tiers === undefined ? {} : { tiers }),
    ...(modes && { modes: mapModes(modes, (mode) => comparableMode(mode, price, kind)) }),
  }
}

/**
 * Converts a mode to the form in which lists are compared. If text has no separate price, the output of an image model
 * consists of its images.
 */
function comparableMode(mode: TieredRates, price: Price, kind: Kind): TieredRates {
  const { output, image_output: images } = price
  const hasText = output !== undefined && images !== undefined && exceeds(images, output)
  return kind === "image" && hasText ? mode : comparable(mode, kind, false)
}

function fitting(rates: Rates, kind: Kind, isSearchPriced: boolean): Rates {
  const result = ratesOf(rates)
  const { output, image_output: images } = rates
  const imageOutput = kind === "image" ? highest(output, images) : undefined
  if (imageOutput === undefined) delete result.image_output
  else {
    result.image_output = imageOutput
    // If there is only one output price, it is the price for images.
    if (images === undefined || output === undefined || !exceeds(images, output)) {
      delete result.output
    }
  }
  // Text may accompany a recording. It then costs the same as the audio.
  if (kind === "transcription" && rates.input === undefined && rates.audio_input !== undefined) {
    result.input = rates.audio_input
  }
  if (kind === "chat" && !isSearchPriced) {
    for (const name of ["search", "request_medium", "request_low"] as const) delete result[name]
  }
  if (kind === "embedding" || kind === "rerank") {
    for (const name of ["output", "cached_input", "cache_write"] as const) delete result[name]
  }
  return result
}

/** Converts a price in another currency to dollars. */
export function times(price: Price, rate: string): Price {
  const converted = (rates: Rates): Rates =>
    Object.fromEntries(
      Object.entries(ratesOf(rates)).map(([name, value]) => [
        name,
        decimal(Number(value) * Number(rate)),
      ]),
    )
  const { tiers, modes } = price
  return {
    ...converted(price),
    ...(tiers && { tiers: tiers.map((tier) => ({ above: tier.above, ...converted(tier) })) }),
    ...(modes && { modes: mapModes(modes, (mode) => times(mode, rate)) }),
  }
}

/** Whether all classes of a price are free. */
export function isFree(price: Price): boolean {
  return Object.values(ratesOf(price)).every((rate) => rate === "0")
}

/**
 * Converts a price to its final form: classes are sorted, derived classes are added, and impossible classes are
 * removed.
 */
export function finishPrice(price: Price, seller: Seller): Price {
  const finish = (rates: Rates): Rates => {
    const result = { ...rates }
    // A price per request is the price of the request's searches.
    if (result.request !== undefined) delete result.search
    withRequestSizes(result)
    finishCache(result, price, seller)
    withOutput(result, price)
    return ratesOf(result)
  }
  const finished: Price = finish(price)
  const tiers = price.tiers?.map((tier): Tier => {
    const rates = finish(tier)
    raiseWithInput(rates, finished)
    return { above: tier.above, ...ratesOf(rates) }
  })
  if (tiers !== undefined) finished.tiers = tiers
  const modes = mapModes(price.modes, (mode) =>
    finishMode(modeRates(mode, price, seller), finished),
  )
  Object.assign(modes, markedCacheMode(finished, seller))
  if (Object.keys(modes).length > 0) finished.modes = modes
  return finished
}

/** Converts the classes of a mode to the classes of its price. */
function modeRates(mode: TieredRates, price: Price, seller: Seller): TieredRates {
  const finish = (rates: Rates): Rates => {
    const result = { ...rates }
    finishWrites(result, seller)
    if (price.output === undefined && price.image_output !== undefined) {
      result.output ??= rates.image_output ?? "0"
    }
    return result
  }
  const tiers = mode.tiers?.map((tier): Tier => ({ ...finish(tier), above: tier.above }))
  return { ...finish(mode), ...(tiers && { tiers }) }
}

// Checks prices by search size. They require a price per request, and are kept only if they are lower.
function withRequestSizes(rates: Rates): void {
  const { request = "0" } = rates
  for (const name of ["request_medium", "request_low"] as const) {
    if (!exceeds(request, rates[name] ?? request)) delete rates[name]
  }
}

// Completes the output price. A model without a separate price for text has one price for all output.
function withOutput(rates: Rates, base: Rates): void {
  if (rates.image_output === undefined || rates.output !== undefined) return
  if (base.output === undefined) {
    rates.output = rates.image_output
    delete rates.image_output
  } else rates.output = base.output
}

/** Returns notes on unusual parts of a price. */
export function oddities(price: Price): string[] {
  const found: string[] = []
  for (const rates of [price, ...(price.tiers ?? [])]) {
    const {
      input,
      cached_input: cached,
      audio_input: audio,
      cached_audio_input: cachedAudio,
    } = rates
    if (input && cached && exceeds(cached, input)) found.push("cached input costs more than input")
    if (audio && cachedAudio && exceeds(cachedAudio, audio))
      found.push("cached audio costs more than audio")
  }
  return found
}
