import type { Model } from "tollgate-contract/catalog.ts"
import { MINIMUM_SECONDS, readPrice, secondsFault } from "./prices.ts"

/** Typed prices by class. */
export type TypedPrices = Readonly<Record<string, string>>

/** Returns the prices of a model as form values. */
export function typedPrices(model: Model): TypedPrices {
  const { price, known_price: known, minimum_seconds: minimum } = model
  return {
    ...(price ?? known),
    ...(minimum !== undefined && { [MINIMUM_SECONDS]: String(minimum) }),
  }
}

/** Converts typed prices to the API's form; undefined if a price is not a number, or if there are no prices. */
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
