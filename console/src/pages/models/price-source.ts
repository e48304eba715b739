import type { Model } from "tollgate-contract/catalog.ts"
import { dayText } from "../../format/moments.ts"
import { t } from "../../languages/text.ts"

const PLACES = { known: t("the price list"), file: "tollgate.yaml", console: t("this console") }

/** Returns the date of a price, or the name of the source if the date is unknown. */
export function priceDate(source: Model["price_source"]): string {
  if (source === null) return "–"
  return source.date === null ? PLACES[source.kind] : dayOf(source.date)
}

/** Formats the source and the date of a price: `OpenAI: gpt-4o, 1 Oct 2026`. */
export function priceSourceText(source: Model["price_source"]): string {
  if (source === null) return "–"
  const place = source.name ?? PLACES[source.kind]
  return source.date === null ? place : `${place}, ${dayOf(source.date)}`
}

/** Formats a UTC day. */
function dayOf(date: string): string {
  return dayText(date, { timeZone: "UTC" })
}
