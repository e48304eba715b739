import { readPrice } from "./prices.ts"

/** Prices as they are typed, by class. */
export type TypedPrices = Readonly<Record<string, string>>

/** The typed prices as the API takes them; undefined when one is no number, or there is none at all. */
export function readPrices(typed: TypedPrices): Record<string, string> | undefined {
  const prices: Record<string, string> = {}
  for (const [name, text] of Object.entries(typed)) {
    if (text.trim() === "") continue
    const price = readPrice(text)
    if (price === undefined) return undefined
    prices[name] = price
  }
  return Object.keys(prices).length === 0 ? undefined : prices
}
