import type { Model } from "tollgate-contract/catalog.ts"
import { dayText } from "../../format/moments.ts"

const PLACES = { known: "the price list", file: "tollgate.yaml", console: "this console" }

/** Of what day a price is; where that is not known, where it is from. */
export function priceDate(source: Model["price_source"]): string {
  if (source === null) return "–"
  return source.date === null ? PLACES[source.kind] : dayOf(source.date)
}

/** Where a price is from, and of what day: `OpenAI: gpt-4o, 1 Oct 2026`. */
export function priceSourceText(source: Model["price_source"]): string {
  if (source === null) return "–"
  const place = source.name ?? PLACES[source.kind]
  return source.date === null ? place : `${place}, ${dayOf(source.date)}`
}

/** Days are days of UTC. */
function dayOf(date: string): string {
  return dayText(date, { timeZone: "UTC" })
}
