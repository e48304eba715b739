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

/** The classes of usage that may have a price, in the order in which people look for them. */
const LABELS: Readonly<Record<PriceName, string>> = {
  input: "Input",
  output: "Output",
  cached_input: "Cached input",
  cache_write: "Cache write",
  cache_write_1h: "Cache write, 1 hour",
  cache_write_12h: "Cache write, 12 hours",
  audio_input: "Audio input",
  cached_audio_input: "Cached audio input",
  image_input: "Image input",
  audio_output: "Audio output",
  image_output: "Image output",
  reasoning_output: "Reasoning, billed separately from output",
  image: "Images",
  character: "Characters",
  second: "Seconds",
  search: "Searches",
  search_premium: "Premium searches",
  map_search: "Map searches",
  file_search: "File searches",
  code_session: "Code sessions",
  request: "Requests",
  request_medium: "Requests, medium search context",
  request_low: "Requests, low search context",
}

export const PRICE_CLASSES = Object.entries(LABELS).map(([name, label]) => ({ name, label }))

/** The member of a price with the minimum seconds charged per request. */
export const MINIMUM_SECONDS = "minimum_seconds"

/** The classes that models of a kind are usually priced by: the first fields of a form. */
export function usualClasses(kind: Model["kind"]): readonly string[] {
  return MODEL_KINDS[kind].usualPrices
}

/** What a class is called; images of one kind have their own names: `image 1024x1024/hd`. */
export function classLabel(name: string): string {
  if (name === MINIMUM_SECONDS) return "Minimum seconds per request"
  return PRICE_CLASSES.find((known) => known.name === name)?.label ?? name.replaceAll("_", " ")
}

/** The prices in the order of the classes; others after them. */
export function sortedPrices(price: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(price).toSorted(([left], [right]) => placeOf(left) - placeOf(right))
}

function placeOf(name: string): number {
  const index = PRICE_CLASSES.findIndex((known) => known.name === name)
  return index === -1 ? PRICE_CLASSES.length : index
}

/** `left x right` of two plain decimals, exactly. Undefined when one is none. */
export function exactProduct(left: string, right: string): string | undefined {
  if (!PLAIN.test(left) || !PLAIN.test(right)) return undefined
  const { value, places } = multiplyDecimals(readDecimal(left), readDecimal(right))
  return formatDecimal(value, places)
}

const PLAIN = /^\d+(?:\.\d+)?$/

/** One line of a model's price list. */
export interface PriceLine {
  /** Its class. */
  readonly name: string
  readonly label: string
  /** Credits per million units, before the multiplier. */
  readonly price: string
}

/** The prices of a model at a time. */
export type PriceCard = Pick<Model, "price" | "price_tiers" | "price_pictures" | "minimum_seconds">

/** The current prices. */
export function currentPrices(model: Model): PriceCard {
  return model.price_in_force ?? model
}

/** All prices, including those of long requests and of kinds of images. */
export function allPrices(card: PriceCard): PriceLine[] {
  const flat = sortedPrices(card.price ?? {}).map(([name, price]) => ({
    name,
    label:
      name === "second" && card.minimum_seconds !== undefined
        ? `${classLabel(name)}, at least ${card.minimum_seconds} per request`
        : classLabel(name),
    price,
  }))
  const pictures = Object.entries(card.price_pictures ?? {}).map(([kind, price]) => ({
    name: "image",
    label: `Images, ${kind}`,
    price,
  }))
  const tiers = card.price_tiers.flatMap(({ above, price }) =>
    sortedPrices(price).map(([name, amount]) => ({
      name,
      label: `${classLabel(name)}, above ${countText(above)} tokens`,
      price: amount,
    })),
  )
  return [...flat, ...pictures, ...tiers]
}

/** A price with the model's multiplier. */
export function withFactor(model: Model, price: string): string {
  return exactProduct(price, model.multiplier) ?? price
}

/** The current price for a caller, including the multiplier. */
export function effectivePrice(model: Model, name: string): string | undefined {
  const price = currentPrices(model).price?.[name]
  return price === undefined ? undefined : exactProduct(price, model.multiplier)
}

/** Tokens of a request that models are compared by. */
const TYPICAL = { input: "0.002", output: "0.0005" } as const

/** What 2,000 tokens of input and 500 of output cost, exactly; undefined where a model has no such prices. */
export function typicalCost(model: Model): string | undefined {
  const parts = (["input", "output"] as const).map((name) => {
    const price = effectivePrice(model, name)
    return price === undefined ? undefined : exactProduct(price, TYPICAL[name])
  })
  const [input, output] = parts
  return input === undefined || output === undefined ? undefined : exactSum(input, output)
}

/** Of two decimal texts. */
function exactSum(left: string, right: string): string {
  const places = Math.max(...[left, right].map((text) => text.split(".")[1]?.length ?? 0))
  return formatDecimal(parseDecimal(left, places) + parseDecimal(right, places), places)
}

/** What is counted one by one: a price per million of them says little. */
const UNITS: Readonly<Record<string, string>> = {
  image: "image",
  second: "second",
  search: "search",
  request: "request",
  request_medium: "request",
  request_low: "request",
}
const MILLIONTH = "0.000001"

/** A price as people compare it: for one image or second, for a million tokens or characters. */
export interface ReadablePrice {
  readonly credits: string
  /** What the credits are for: `per image`, `per million`. */
  readonly per: string
}

/** @param price of a million units. */
export function readablePrice(name: string, price: string): ReadablePrice {
  const unit = UNITS[name.split(/[ .]/)[0] ?? name]
  const each = unit === undefined ? undefined : exactProduct(price, MILLIONTH)
  if (unit === undefined || each === undefined) return { credits: price, per: "per million" }
  return { credits: each, per: `per ${unit}` }
}

/** Whether a multiplier changes anything. */
export function isOne(multiplier: string): boolean {
  return /^0*1(\.0*)?$/.test(multiplier)
}

const PRICE_FORM = { whole: 12, fraction: 12 }

/** A price or a multiplier as it is typed; undefined when it is none. */
export function readPrice(typed: string): string | undefined {
  return decimalFault(typed) === undefined ? amountOf(typed) : undefined
}

/** What is wrong with it. */
export function decimalFault(typed: string): string | undefined {
  const reading = readAmount(typed, PRICE_FORM)
  if ("fault" in reading) return reading.fault
  return reading.amount.startsWith("-") ? "Enter zero or a positive number" : undefined
}

/** Returns the error message for an invalid minimum of seconds. */
export function secondsFault(typed: string): string | undefined {
  const seconds = Number(typed)
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_MINIMUM_SECONDS
    ? undefined
    : `Enter a whole number from 1 to ${MAX_MINIMUM_SECONDS}`
}

function amountOf(typed: string): string | undefined {
  const reading = readAmount(typed, PRICE_FORM)
  return "amount" in reading ? reading.amount : undefined
}

/** What a caller pays per unit of one class as decimal text, for a column: the first class that has a price. */
export function firstPrice(model: Model, names: readonly string[]): [string, string] | undefined {
  for (const name of names) {
    const price = effectivePrice(model, name)
    if (price !== undefined) return [name, price]
  }
  return undefined
}

/** A price in one line: `Input 2 · Output 8`. */
export function priceWords(price: Readonly<Record<string, unknown>>): string {
  const flat = Object.entries(price).filter((member): member is [string, string] => {
    return typeof member[1] === "string"
  })
  const words = sortedPrices(Object.fromEntries(flat)).map(
    ([name, amount]) => `${classLabel(name)} ${amount}`,
  )
  return [
    ...words,
    ...("tiers" in price ? ["long requests cost more"] : []),
    ...("periods" in price ? ["prices change over time"] : []),
  ].join(" · ")
}
