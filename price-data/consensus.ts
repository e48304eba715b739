import { exceeds, highest } from "./decimal.ts"
import { chosenModes } from "./modes.ts"
import { priceClasses, ratesOf } from "./shape.ts"
import type { Kind, Price, PriceClass, Tier } from "./shape.ts"
import type { VendorSource } from "./vendors.ts"

export const LIST_NAMES = ["genai-prices", "models.dev", "LiteLLM"] as const
export type ListName = (typeof LIST_NAMES)[number]

/** The price of a model in one list. */
export interface ListQuote {
  list: ListName
  /** The date of the list. */
  date: string
  price: Price
  /** Whether the list states explicitly that there is no long-context price. */
  flat?: boolean
}

/** The rule that selected a value if lists differ. */
export type Rule = "two of three" | "newest" | "highest" | "maker"

/** A price class of a model for which lists have different values. */
export interface Dispute {
  model: string
  class: PriceClass
  values: Partial<Record<ListName, string>>
  chosen: string
  rule: Rule
}

/** A selected price, and the classes for which lists differ. */
export interface Settled {
  price: Price
  /** The newest date of the lists that have this price. */
  date: string
  disputes: Omit<Dispute, "model">[]
}

/** Maximum relative difference of equal values, because lists round converted values. */
const TOLERANCE = 0.005

/**
 * The classes that are compared. Prices with equal values in these classes count as equal, and the values of other
 * classes come from the selected price.
 */
const CORE: readonly PriceClass[] = [
  "input",
  "output",
  "image_output",
  "image",
  "character",
  "second",
  "request",
]

/**
 * Selects one of the prices that lists have for one model. If two lists agree, their price is used. Otherwise, the
 * newest list is used for a vendor that sells its own models, because lists follow the vendor's page. Resellers'
 * entries become outdated in all lists, so the highest price is used for them: callers notice a price that is too high,
 * but the operator pays if a price is too low.
 */
export function settle(
  quotes: readonly ListQuote[],
  kind: Kind,
  { maker }: Pick<VendorSource, "maker">,
): Settled | undefined {
  const [first] = quotes
  if (first === undefined) return undefined
  const agreeing = quotes.map((quote) => quotes.filter((other) => areAlike(quote, other, kind)))
  const most = agreeing.reduce((best, group) => (group.length > best.length ? group : best))
  const alone: Rule = maker !== undefined ? "newest" : "highest"
  const rule: Rule = most.length > 1 ? "two of three" : alone
  const winners =
    most.length > 1 ? most : [rule === "newest" ? newest(quotes) : mostExpensive(quotes)]
  const price: Price = {}
  const rules = new Map<PriceClass, Rule>()
  for (const name of priceClasses) {
    const chosen = isCore(name, kind)
      ? { value: winners.find((quote) => quote.price[name] !== undefined)?.price[name], rule }
      : mostSaid(name, winners, quotes)
    if (chosen.value === undefined || isOtherUnit(name, price)) continue
    price[name] = chosen.value
    rules.set(name, chosen.rule)
  }
  // A class that only other lists have is still better than a missing class.
  for (const other of quotes) addMissing(price, other.price)
  addTiersAndModes(price, winners, quotes, most.length > 1 ? undefined : alone)
  return { price, date: newest(winners).date, disputes: disputesOf(quotes, price, rules) }
}

function isCore(name: PriceClass, kind: Kind): boolean {
  return CORE.includes(name) || (kind === "rerank" && name === "search")
}

/**
 * Returns the most frequent value of a class in the selected lists. If several values are equally frequent, returns the
 * highest.
 */
function mostSaid(
  name: PriceClass,
  winners: readonly ListQuote[],
  quotes: readonly ListQuote[],
): { value: string | undefined; rule: Rule } {
  const votes = (value: string): number =>
    quotes.filter((quote) => quote.price[name] !== undefined && isNear(quote.price[name], value))
      .length
  const said = winners.flatMap((quote) => quote.price[name] ?? [])
  const [value] = said.toSorted(
    (left, right) => votes(right) - votes(left) || Number(right) - Number(left),
  )
  return { value, rule: value !== undefined && votes(value) > 1 ? "two of three" : "highest" }
}

function areAlike(left: ListQuote, right: ListQuote, kind: Kind): boolean {
  if (left === right) return true
  const shared = priceClasses.filter(
    (name) =>
      isCore(name, kind) && left.price[name] !== undefined && right.price[name] !== undefined,
  )
  return shared.length > 0 && shared.every((name) => isNear(left.price[name], right.price[name]))
}

function isNear(left: string | undefined, right: string | undefined): boolean {
  const [one, other] = [Number(left), Number(right)]
  return Math.abs(one - other) <= TOLERANCE * Math.max(one, other)
}

function newest(quotes: readonly ListQuote[]): ListQuote {
  return quotes.reduce((best, quote) => (quote.date > best.date ? quote : best))
}

function mostExpensive(quotes: readonly ListQuote[]): ListQuote {
  const weight = ({ price }: ListQuote): number =>
    CORE.reduce((sum, name) => sum + Number(price[name] ?? 0), 0)
  return quotes.reduce((best, quote) => (weight(quote) > weight(best) ? quote : best))
}

// Adds tiers and modes. A list without a long-context price does not exclude such a price, unless the list states this
// explicitly.
function addTiersAndModes(
  price: Price,
  winners: readonly ListQuote[],
  quotes: readonly ListQuote[],
  alone: Rule | undefined,
): void {
  const isFlat = winners.some((quote) => quote.flat === true)
  const tiered = winners.map(tiersOf).find((each) => each.length > 0)
  const others = quotes.map(tiersOf).find((each) => each.length > 0)
  const tiers =
    tiered ?? (alone === "highest" ? others?.map((tier) => raised(tier, price)) : undefined)
  if (tiers !== undefined && tiers.length > 0 && !isFlat) {
    price.tiers = tiers.map((tier) => completed(tier, price, quotes))
  }
  const inOrder = [...winners, ...quotes.filter((quote) => !winners.includes(quote))]
  const modes = chosenModes(inOrder, winners)
  if (Object.keys(modes).length > 0) price.modes = modes
}

/** Returns the tiers of a list that have a price for input or output. */
function tiersOf({ price }: ListQuote): Tier[] {
  return (price.tiers ?? []).filter(
    ({ input, output }) => input !== undefined || output !== undefined,
  )
}

/** Returns a tier to which missing classes of the price are added, if other lists have them for this tier. */
function completed(tier: Tier, price: Price, quotes: readonly ListQuote[]): Tier {
  const same = quotes.flatMap(tiersOf).filter(({ above }) => above === tier.above)
  const missing = priceClasses.filter(
    (name) => price[name] !== undefined && tier[name] === undefined,
  )
  const found = missing.flatMap((name) => {
    const value = highest(...same.map((each) => each[name]))
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...tier, ...Object.fromEntries(found) }
}

/** Returns a tier of another list. Its rates are raised to the selected price if they are lower. */
function raised(tier: Tier, price: Price): Tier {
  const rates = Object.entries(ratesOf(tier)).map(([name, value]) => {
    return [name, highest(value, price[name as PriceClass])]
  })
  return { above: tier.above, ...Object.fromEntries(rates) }
}

/** Adds classes that only one list has, if their prices are plausible compared with the selected prices. */
function addMissing(price: Price, other: Price): void {
  for (const name of priceClasses) {
    const value = other[name]
    if (value === undefined || price[name] !== undefined || isOtherUnit(name, price)) continue
    if (name.startsWith("cached_") && exceeds(value, price.input ?? "0")) continue
    price[name] = value
  }
}

/**
 * Whether the unit of a class differs from the unit of the price. A price per token is not combined with a price per
 * unit.
 */
function isOtherUnit(name: PriceClass, price: Price): boolean {
  const counted = ["character", "second", "image"] as const
  const isCounted = counted.some((each) => price[each] !== undefined)
  const isToken = price.input !== undefined || price.output !== undefined
  if (counted.some((each) => each === name)) return isToken
  return isCounted && name !== "search" && name !== "request"
}

function disputesOf(
  quotes: readonly ListQuote[],
  price: Price,
  rules: ReadonlyMap<PriceClass, Rule>,
): Omit<Dispute, "model">[] {
  return priceClasses.flatMap((name) => {
    const chosen = price[name]
    const said = quotes.filter((quote) => quote.price[name] !== undefined)
    const isDisputed = said.some((quote) => !isNear(quote.price[name], chosen))
    const rule = rules.get(name)
    if (chosen === undefined || rule === undefined || !isDisputed) return []
    const values = Object.fromEntries(said.map((quote) => [quote.list, quote.price[name]]))
    return [{ class: name, values, chosen, rule }]
  })
}
