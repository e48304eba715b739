import type { PriceTerm } from "#contract/price-groups.ts"
import type { PriceSettings, PriceTermSettings } from "../config/settings.ts"

/**
 * Converts terms to their representation in the API.
 * @param terms earliest first.
 */
export function termDocuments(terms: readonly PriceTermSettings[], now: number): PriceTerm[] {
  const active = terms.findLast(({ from }) => from <= now)
  return terms.map((term) => {
    const { from, multiplier = null, prices } = writtenTerm(term)
    const begun = term === active ? "active" : "ended"
    return { from, state: term.from > now ? "upcoming" : begun, multiplier, prices }
  })
}

/** Returns a term in the format of `tollgate.yaml`. */
export function writtenTerm({ from, multiplier, prices = {} }: PriceTermSettings) {
  return {
    from: new Date(from).toISOString(),
    ...(multiplier !== undefined && { multiplier }),
    prices: Object.fromEntries(
      Object.entries(prices).map(([glob, price]) => [glob, writtenPrice(price)]),
    ),
  }
}

function writtenPrice({ image, images, ...price }: PriceSettings): Record<string, unknown> {
  if (images === undefined) return { ...price, ...(image !== undefined && { image }) }
  return { ...price, image: { ...images, ...(image !== undefined && { default: image }) } }
}
