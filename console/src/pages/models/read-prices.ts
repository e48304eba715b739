import type { Model } from "tollgate-contract/catalog.ts"
import { MINIMUM_SECONDS, readPrice, secondsFault } from "./prices.ts"

/** Prices as they are typed, by class. */
export type TypedPrices = Readonly<Record<string, string>>

/** The prices of a model as typed into the form. */
export function typedPrices(model: Model): TypedPrices {
  const { price, known_price: known, minimum_seconds: minimum } = model
  return {
    ...(price ?? known),
    ...(minimum !== undefined && { [MINIMUM_SECONDS]: String(minimum) }),
  }
}

/** The typed prices as the API takes them; undefined when one is no number, or there is none at all. */
export function readPrices(typed: TypedPrices): Record<string, string> | undefined {
  const prices: Record<string, string> = {}
  for (const [name, text] of Object.entries(typed)) {
    if (text.trim() === "") continue
    const price = readPrice(text)
    const isFaulty = name === MINIMUM_SECONDS && secondsFault(text) !== undefined
    if (price === undefined || isFaulty) return undefined
    prices[name] = price
  }
  return Object.keys(prices).length === 0 ? undefined : prices
}
