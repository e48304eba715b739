import type { Model, ModelEntry, PricePeriod } from "tollgate-contract/catalog.ts"
import { readPrices, type TypedPrices, typedPrices } from "./read-prices.ts"

/** The changed properties of a model. */
export interface ModelChange {
  readonly typed: TypedPrices
  readonly multiplier: string
}

/**
 * Builds the entry that replaces the console's previous entry for a model. All unchanged settings of the previous entry
 * are kept. Properties without a setting stay unset, so that they follow the list of known models. Returns undefined if
 * a price is not a number or if there is no price.
 */
export function changedEntry(model: Model, change: ModelChange): ModelEntry | undefined {
  const prices = readPrices(change.typed)
  if (prices === undefined) return undefined
  const { entry } = model
  const hasMultiplier =
    change.multiplier !== model.multiplier || entry?.["multiplier"] !== undefined
  return {
    ...entry,
    ...(!(model.price !== null && isSame(prices, typedPrices(model))) && {
      price: wholePrice(model, prices),
    }),
    ...(hasMultiplier && { multiplier: change.multiplier }),
  }
}

/** Builds an entry with the known price of a model; undefined if no price is known. */
export function knownPriceEntry(model: Model): ModelEntry | undefined {
  const { entry, known_entry: known, known_price: flat } = model
  if (known !== null) return { ...entry, kind: known.kind, price: known.price }
  return flat === null ? undefined : { ...entry, price: flat }
}

/**
 * Keeps the prices that the form does not show as fields: prices of long requests, of kinds of images and of periods.
 */
function wholePrice(model: Model, prices: Readonly<Record<string, string>>): ModelEntry["price"] {
  const { price_tiers: tiers, price_images: imagePrices } = model
  const { image, ...others } = prices
  return {
    ...others,
    ...(image !== undefined && { image }),
    ...(imagePrices !== null && {
      image: { ...(image !== undefined && { default: image }), ...imagePrices },
    }),
    ...(tiers.length > 0 && { tiers: writtenTiers(tiers) }),
    ...periodsOf(model),
  }
}

/**
 * Returns the price periods and the factors of service modes from the settings, or the known periods and factors if the
 * settings contain no periods.
 */
function periodsOf(model: Model): Record<string, unknown> {
  const set = model.entry?.["price"]
  if (typeof set === "object" && set !== null) {
    return Object.fromEntries(Object.entries(set).filter(([name]) => FORMLESS.has(name)))
  }
  const periods = model.price_periods.map((period) => writtenPeriod(period, model))
  return periods.length === 0 ? {} : { periods }
}

/** Properties of a price that are neither fields of the form nor part of a table of prices. */
const FORMLESS = new Set(["periods", "modes"])

function writtenPeriod(period: PricePeriod, model: Model): Record<string, unknown> {
  const { price, price_tiers: tiers, price_images: imagePrices, modes, ...others } = period
  const { minimum_seconds: minimum, ...times } = others
  const named = Object.entries(times).filter(([, value]) => value !== null)
  const changed = Object.entries(price).filter(([name, rate]) => model.price?.[name] !== rate)
  const isOther = JSON.stringify(imagePrices) !== JSON.stringify(model.price_images)
  return {
    ...Object.fromEntries([...named, ...changed]),
    ...(imagePrices !== null &&
      isOther && { image: { ...(price["image"] && { default: price["image"] }), ...imagePrices } }),
    ...(minimum !== undefined &&
      minimum !== model.minimum_seconds && { minimum_seconds: String(minimum) }),
    ...(tiers.length > 0 && changed.length > 0 && { tiers: writtenTiers(tiers) }),
    ...(Object.keys(modes).length > 0 && { modes: writtenModes(modes) }),
  }
}

function writtenModes(modes: PricePeriod["modes"]): Record<string, unknown> {
  const written = Object.entries(modes).map(([name, mode]) => {
    if (typeof mode === "string") return [name, mode] as const
    const { price, price_tiers: tiers } = mode
    return [name, { ...price, ...(tiers.length > 0 && { tiers: writtenTiers(tiers) }) }] as const
  })
  return Object.fromEntries(written)
}

function writtenTiers(tiers: Model["price_tiers"]): Record<string, unknown>[] {
  return tiers.map(({ above, price }) => ({ above, ...price }))
}

function isSame(
  left: Readonly<Record<string, string>>,
  right: Readonly<Record<string, string>>,
): boolean {
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
  )
}
