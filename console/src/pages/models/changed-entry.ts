import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import { readPrices, type TypedPrices } from "./read-prices.ts"

/** What of a model is set again. */
export interface ModelChange {
  readonly typed: TypedPrices
  readonly multiplier: string
}

/**
 * A model's entry as it is to be put, in place of the one that the console had: what it says stays, but
 * for what was changed. What was not changed is not said, so that it goes on following what is known.
 * Undefined while a price is no number, or there is none.
 */
export function changedEntry(model: Model, change: ModelChange): ModelEntry | undefined {
  const prices = readPrices(change.typed)
  if (prices === undefined) return undefined
  const { entry } = model
  const isFactorSaid = change.multiplier !== model.multiplier || entry?.["multiplier"] !== undefined
  return {
    ...entry,
    ...(!isSame(prices, model.price) && { price: wholePrice(model, prices) }),
    ...(isFactorSaid && { multiplier: change.multiplier }),
  }
}

/** The entry with the price that is known for a model; undefined where none is. */
export function knownPriceEntry(model: Model): ModelEntry | undefined {
  const { entry, known_entry: known, known_price: flat } = model
  if (known !== null) return { ...entry, kind: known.kind, price: known.price }
  return flat === null ? undefined : { ...entry, price: flat }
}

/** With the prices of long requests and of kinds of images, which the form does not show as fields. */
function wholePrice(model: Model, prices: Readonly<Record<string, string>>): ModelEntry["price"] {
  const { price_tiers: tiers, price_pictures: pictures } = model
  const { image, ...others } = prices
  return {
    ...others,
    ...(image !== undefined && { image }),
    ...(pictures !== null && {
      image: { ...(image !== undefined && { default: image }), ...pictures },
    }),
    ...(tiers.length > 0 && { tiers: tiers.map(({ above, price }) => ({ above, ...price })) }),
  }
}

function isSame(
  left: Readonly<Record<string, string>>,
  right: Readonly<Record<string, string>> | null,
): boolean {
  if (right === null) return false
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
  )
}
