import type { Facts, ModelFacts, PriceFacts } from "./facts.ts"
import { parseDecimal } from "#contract/decimal.ts"
import { periodParts } from "../ledger/price-periods.ts"
import { modeFactors, readPeriod } from "./read-price.ts"

/** The parts of a name: words identify its family, and numbers order the family's members. */
interface NameParts {
  readonly family: string
  readonly version: readonly number[]
}

/** Maximum digits of a version number. Dates and editions are longer: `20250929`, `2411`, `001`. */
const MAX_VERSION_DIGITS = 2

/**
 * Splits a name into its family and version: `gpt-5.4-mini` into `gpt mini` and 5.4, `claude-opus-4-8` into `claude
 * opus` and 4.8. Undefined for a name without a version.
 */
export function nameParts(name: string): NameParts | undefined {
  const words: string[] = []
  const version: number[] = []
  for (const part of name.toLowerCase().split(/[-/@:_]/)) {
    const numbers = part.match(/\d+/g) ?? []
    const word = part.replace(/[\d.]+/g, "")
    if (word !== "") words.push(word)
    for (const digits of numbers) {
      if (digits.length <= MAX_VERSION_DIGITS) version.push(Number(digits))
    }
  }
  return version.length === 0 || words.length === 0
    ? undefined
    : { family: words.join(" "), version }
}

/**
 * Returns the assumed facts of a model that is newer than all known models of its family: the family's kind and longest
 * limits, and the highest price of each class.
 * @returns undefined if the family is unknown, or for an older model, which may have cost more.
 */
export function familyFacts(
  models: NonNullable<Facts["vendors"][string]>,
  name: string,
): ModelFacts | undefined {
  const wanted = nameParts(name)
  if (wanted === undefined) return undefined
  const members = Object.entries(models).flatMap(([known, facts]) => {
    const parts = nameParts(known)
    return parts?.family === wanted.family && facts.price
      ? [{ parts, facts, price: facts.price }]
      : []
  })
  const [first] = members.toSorted((left, right) =>
    compare(right.parts.version, left.parts.version),
  )
  if (first === undefined || compare(wanted.version, first.parts.version) <= 0) return undefined
  const { kind, owner } = first.facts
  const peers = members.filter(({ facts }) => facts.kind === kind)
  const contexts = peers.flatMap(({ facts }) => facts.context ?? [])
  const outputs = peers.flatMap(({ facts }) => facts.max_output ?? [])
  return {
    kind,
    ...(owner !== undefined && { owner }),
    ...(contexts.length > 0 && { context: Math.max(...contexts) }),
    ...(outputs.length > 0 && { max_output: Math.max(...outputs) }),
    ...(first.facts.dialects && { dialects: first.facts.dialects }),
    ...(first.facts.own_searches !== undefined && { own_searches: first.facts.own_searches }),
    price: highestPrices(peers.flatMap(({ price }) => cardsOf(price))),
  }
}

/** Returns the price outside of all periods, and the price of each period. */
function cardsOf({ periods = [], ...own }: PriceFacts): PriceFacts[] {
  const inPeriods = periods.map((period) => {
    const { card } = periodParts(readPeriod(period))
    return { ...own, ...card, modes: { ...own.modes, ...card.modes } } as PriceFacts
  })
  return [own, ...inPeriods]
}

/** Returns the highest price of each class, tier and mode. */
function highestPrices(prices: readonly PriceFacts[]): PriceFacts {
  const starts = new Set(prices.flatMap(({ tiers }) => tiers?.map(({ above }) => above) ?? []))
  const tiers = [...starts]
    .toSorted((left, right) => left - right)
    .map((above) => ({ above, ...highest(prices.map((price) => ratesAbove(price, above))) }))
  const modes = highest(prices.map(modeFactors))
  return {
    ...highest(prices.map(ratesOf)),
    ...(tiers.length > 0 && { tiers }),
    ...(Object.keys(modes).length > 0 && { modes }),
  }
}

function ratesAbove(price: PriceFacts, above: number): Record<string, string> {
  const tier = price.tiers?.findLast((each) => each.above <= above)
  return { ...ratesOf(price), ...(tier && ratesOf(tier)) }
}

function ratesOf(table: Readonly<Record<string, unknown>>): Record<string, string> {
  const rates: Record<string, string> = {}
  for (const [name, value] of Object.entries(table))
    if (typeof value === "string") rates[name] = value
  return rates
}

function highest(tables: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const result: Record<string, string> = {}
  for (const table of tables) {
    for (const [name, value] of Object.entries(table)) {
      const known = result[name]
      if (known === undefined || parseDecimal(value, 9) > parseDecimal(known, 9))
        result[name] = value
    }
  }
  return result
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
