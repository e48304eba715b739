import {
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  readDecimal,
} from "tollgate-contract/decimal.ts"
import { MODEL_KINDS } from "tollgate-contract/model-kinds.ts"
import type { PriceName } from "tollgate-contract/usage-classes.ts"
import { MAX_MINIMUM_SECONDS, readAmount } from "tollgate-contract/amounts.ts"
import type { Model } from "tollgate-contract/catalog.ts"
import { countText } from "../../format/numbers.ts"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

/** The classes of usage that may have a price, most relevant first. */
const LABELS: Readonly<Record<PriceName, string>> = {
  input: t("Input"),
  output: t("Output"),
  cached_input: t("Cached input"),
  cache_write: t("Cache write"),
  cache_write_1h: t("Cache write, 1 hour"),
  cache_write_12h: t("Cache write, 12 hours"),
  audio_input: t("Audio input"),
  cached_audio_input: t("Cached audio input"),
  image_input: t("Image input"),
  audio_output: t("Audio output"),
  image_output: t("Image output"),
  reasoning_output: t("Reasoning, billed separately from output"),
  image: t("Images"),
  character: t("Characters"),
  second: t("Seconds"),
  search: t("Searches"),
  search_premium: t("Premium searches"),
  map_search: t("Map searches"),
  file_search: t("File searches"),
  code_session: t("Code sessions"),
  request: t("Requests"),
  request_medium: t("Requests, medium search context"),
  request_low: t("Requests, low search context"),
}

export const PRICE_CLASSES = Object.entries(LABELS).map(([name, label]) => ({ name, label }))

/** The property of a price that sets the minimum number of seconds charged per request. */
export const MINIMUM_SECONDS = "minimum_seconds"

/** Returns the usual price classes for a kind of model. They are the first fields of a form. */
export function usualClasses(kind: Model["kind"]): readonly string[] {
  return MODEL_KINDS[kind].usualPrices
}

/** Returns the label of a class. Kinds of images have their own labels: `image 1024x1024/hd`. */
export function classLabel(name: string): string {
  if (name === MINIMUM_SECONDS) return t("Minimum seconds per request")
  return PRICE_CLASSES.find((known) => known.name === name)?.label ?? word(name)
}

/** Returns prices in the order of the classes, followed by unknown names. */
export function sortedPrices(price: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(price).toSorted(([left], [right]) => placeOf(left) - placeOf(right))
}

function placeOf(name: string): number {
  const index = PRICE_CLASSES.findIndex((known) => known.name === name)
  return index === -1 ? PRICE_CLASSES.length : index
}

/** Multiplies two plain decimals exactly. Returns undefined if either of them is invalid. */
export function exactProduct(left: string, right: string): string | undefined {
  if (!PLAIN.test(left) || !PLAIN.test(right)) return undefined
  const { value, places } = multiplyDecimals(readDecimal(left), readDecimal(right))
  return formatDecimal(value, places)
}

const PLAIN = /^\d+(?:\.\d+)?$/

/** One line of a model's price list. */
export interface PriceLine {
  /** The price class. */
  readonly name: string
  readonly label: string
  /** Credits per million units, before the multiplier. */
  readonly price: string
}

/** The prices of a model in one period. */
export type PriceCard = Pick<Model, "price" | "price_tiers" | "price_images" | "minimum_seconds">

/** Returns the current prices. */
export function currentPrices(model: Model): PriceCard {
  return model.price_in_force ?? model
}

/** Returns all prices, including prices for long requests and kinds of images. */
export function allPrices(card: PriceCard): PriceLine[] {
  const flat = sortedPrices(card.price ?? {}).map(([name, price]) => ({
    name,
    label:
      name === "second" && card.minimum_seconds !== undefined
        ? t("{unit}, at least {minimum} per request", {
            unit: classLabel(name),
            minimum: card.minimum_seconds,
          })
        : classLabel(name),
    price,
  }))
  const imagePrices = Object.entries(card.price_images ?? {}).map(([kind, price]) => ({
    name: "image",
    label: t("Images, {kind}", { kind }),
    price,
  }))
  const tiers = card.price_tiers.flatMap(({ above, price }) =>
    sortedPrices(price).map(([name, amount]) => ({
      name,
      label: t("{unit}, above {count} tokens", {
        unit: classLabel(name),
        count: countText(above),
      }),
      price: amount,
    })),
  )
  return [...flat, ...imagePrices, ...tiers]
}

/** Multiplies a price by the model's multiplier. */
export function withFactor(model: Model, price: string): string {
  return exactProduct(price, model.multiplier) ?? price
}

/** Returns the current price for a caller, including the multiplier. */
export function effectivePrice(model: Model, name: string): string | undefined {
  const price = currentPrices(model).price?.[name]
  return price === undefined ? undefined : exactProduct(price, model.multiplier)
}

/** Millions of tokens in a typical request, for comparing models. */
const TYPICAL = { input: "0.002", output: "0.0005" } as const

/** Returns the exact cost in credits of 2,000 input tokens and 500 output tokens; undefined if a price is missing. */
export function typicalCost(model: Model): string | undefined {
  const parts = (["input", "output"] as const).map((name) => {
    const price = effectivePrice(model, name)
    return price === undefined ? undefined : exactProduct(price, TYPICAL[name])
  })
  const [input, output] = parts
  return input === undefined || output === undefined ? undefined : exactSum(input, output)
}

/** Adds two decimal texts exactly. */
function exactSum(left: string, right: string): string {
  const places = Math.max(...[left, right].map((text) => text.split(".")[1]?.length ?? 0))
  return formatDecimal(parseDecimal(left, places) + parseDecimal(right, places), places)
}

/** Units that are counted individually. Their price per million is hard to read, so it is shown per unit. */
const UNITS: Readonly<Record<string, string>> = {
  image: t("per image"),
  second: t("per second"),
  search: t("per search"),
  request: t("per request"),
  request_medium: t("per request"),
  request_low: t("per request"),
}
const MILLIONTH = "0.000001"
/** The unit of usage that is not counted individually. */
export const PER_MILLION = t("per million")

/** A price in a readable unit: per image, per second, per million tokens or per million characters. */
export interface ReadablePrice {
  readonly credits: string
  /** The unit: `per image`, `per million`. */
  readonly per: string
}

/** @param price the price of a million units. */
export function readablePrice(name: string, price: string): ReadablePrice {
  const unit = UNITS[name.split(/[ .]/)[0] ?? name]
  const each = unit === undefined ? undefined : exactProduct(price, MILLIONTH)
  if (unit === undefined || each === undefined) return { credits: price, per: PER_MILLION }
  return { credits: each, per: unit }
}

/** Reports whether a multiplier is 1. */
export function isOne(multiplier: string): boolean {
  return /^0*1(\.0*)?$/.test(multiplier)
}

const PRICE_FORM = { whole: 12, fraction: 12 }

/** Parses a typed price or multiplier; undefined if it is invalid. */
export function readPrice(typed: string): string | undefined {
  return decimalFault(typed) === undefined ? amountOf(typed) : undefined
}

/** Returns the error of a typed price or multiplier. */
export function decimalFault(typed: string): string | undefined {
  const reading = readAmount(typed, PRICE_FORM, t)
  if ("fault" in reading) return reading.fault
  return reading.amount.startsWith("-") ? t("Enter zero or a positive number") : undefined
}

/** Returns the error of a typed minimum number of seconds. */
export function secondsFault(typed: string): string | undefined {
  const seconds = Number(typed)
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_MINIMUM_SECONDS
    ? undefined
    : t("Enter a whole number from 1 to {max}", { max: MAX_MINIMUM_SECONDS })
}

function amountOf(typed: string): string | undefined {
  const reading = readAmount(typed, PRICE_FORM)
  return "amount" in reading ? reading.amount : undefined
}

/** Returns the first of the given classes that has a price, with the caller's price per unit as decimal text. */
export function firstPrice(model: Model, names: readonly string[]): [string, string] | undefined {
  for (const name of names) {
    const price = effectivePrice(model, name)
    if (price !== undefined) return [name, price]
  }
  return undefined
}

/** Formats a price in one line: `Input 2 · Output 8`. */
export function priceWords(price: Readonly<Record<string, unknown>>): string {
  const flat = Object.entries(price).filter((member): member is [string, string] => {
    return typeof member[1] === "string"
  })
  const words = sortedPrices(Object.fromEntries(flat)).map(
    ([name, amount]) => `${classLabel(name)} ${amount}`,
  )
  return [
    ...words,
    ...("tiers" in price ? [t("long requests cost more")] : []),
    ...("periods" in price ? [t("prices change over time")] : []),
  ].join(" · ")
}
