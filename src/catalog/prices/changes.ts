import {
  fallbackOf,
  CLASS_OF_NAME,
  NAME_OF_CLASS,
  type PriceName,
} from "#contract/usage-classes.ts"
import { formatDecimal, parseDecimal } from "#contract/decimal.ts"
import { periodWords } from "#contract/price-periods.ts"
import type {
  Facts,
  ModelFacts,
  ModeRateFacts,
  PeriodFacts,
  PriceFacts,
  ServiceFacts,
} from "../facts.ts"
import { modeFactors, readPeriod } from "../read-price.ts"

/** The change to one price between two lists. */
export interface PriceChange {
  /** The vendor, and the vendor's name for the model. The model is null for charges that do not belong to a model. */
  readonly vendor: string
  readonly model: string | null
  /** `increased` if any part of the price rises. */
  readonly kind: "added" | "removed" | "increased" | "decreased"
  /** The changed parts: class, tier or mode, with the decimals before and after; null if absent. */
  readonly parts: readonly PartChange[]
}

export interface PartChange {
  /**
   * Examples: `output`, `output above 200000`, `mode priority`, `mode flex: input`, `input in peak (Mon-Fri,
   * 09:00-12:00 UTC)`.
   */
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** Returns the price differences between two lists, by vendor and model. */
export function priceChanges(before: Facts, after: Facts): PriceChange[] {
  const vendors = new Set([...Object.keys(before.vendors), ...Object.keys(after.vendors)])
  return [...vendors].toSorted().flatMap((vendor) => {
    const [old, fresh] = [before.vendors[vendor] ?? {}, after.vendors[vendor] ?? {}]
    const services = changeOf(vendor, null, before.services?.[vendor], after.services?.[vendor])
    const models = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].toSorted()
    const changed = models.flatMap(
      (model) => changeOf(vendor, model, own(old, model)?.price, own(fresh, model)?.price) ?? [],
    )
    return services === undefined ? changed : [services, ...changed]
  })
}

/**
 * Returns a list with only the price increases of another list. Nothing is then sold below the vendor's price, while
 * price cuts and added or removed models wait for review.
 */
export function withIncreases(base: Facts, other: Facts): Facts {
  const vendors: Record<string, Record<string, ModelFacts>> = {}
  for (const [vendor, models] of Object.entries(base.vendors)) vendors[vendor] = { ...models }
  const services: Record<string, ServiceFacts | undefined> = { ...base.services }
  for (const { vendor, model, kind } of priceChanges(base, other)) {
    if (kind !== "increased") continue
    if (model === null) {
      services[vendor] = other.services?.[vendor]
      continue
    }
    const known = own(vendors[vendor] ?? {}, model)
    const price = own(other.vendors[vendor] ?? {}, model)?.price
    if (known !== undefined && price !== undefined)
      (vendors[vendor] ??= {})[model] = { ...known, price }
  }
  return { ...base, services, vendors }
}

function changeOf(
  vendor: string,
  model: string | null,
  before: PriceFacts | ServiceFacts | undefined,
  after: PriceFacts | ServiceFacts | undefined,
): PriceChange | undefined {
  if (before === undefined && after === undefined) return undefined
  const [old, fresh] = [partsOf(before), partsOf(after)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].filter(
    (name) => !(isDerived(name, old) && isDerived(name, fresh)),
  )
  const parts = names.flatMap((name) => {
    const change = { name, before: old.get(name) ?? null, after: fresh.get(name) ?? null }
    return isSame(change) ? [] : [change]
  })
  if (before !== undefined && after !== undefined && parts.length === 0) return undefined
  if (before === undefined) return { vendor, model, kind: "added", parts }
  if (after === undefined) return { vendor, model, kind: "removed", parts }
  const isIncrease = parts.some(({ name }) => nanos(rateOf(fresh, name)) > nanos(rateOf(old, name)))
  return { vendor, model, kind: isIncrease ? "increased" : "decreased", parts }
}

/**
 * Whether a part is the factor of a mode that has its own rates. Such a factor also changes when the standard rates
 * change.
 */
function isDerived(name: string, parts: ReadonlyMap<string, string>): boolean {
  if (!name.startsWith(MODE)) return false
  const [mode = "", period] = name.split(IN_PERIOD)
  return [...parts.keys()].some(
    (other) => other.startsWith(`${mode}: `) && other.split(IN_PERIOD)[1] === period,
  )
}

function isSame({ before, after }: PartChange): boolean {
  return before !== null && after !== null && nanos(before) === nanos(after)
}

/** Returns all amounts of a price, by class and period. */
function partsOf(price: PriceFacts | ServiceFacts | undefined): Map<string, string> {
  const parts = cardParts(price)
  const periods = price?.["periods"]
  for (const period of Array.isArray(periods) ? (periods as readonly PeriodFacts[]) : []) {
    const { name, from: _, until: _1, zone: _2, ...card } = period
    const words = periodWords(readPeriod(period))
    const when = name === undefined ? words : `${name} (${words})`
    for (const [part, value] of cardParts(card)) parts.set(`${part}${IN_PERIOD}${when}`, value)
  }
  return parts
}

/** Separates a part of a price from its period in the part's name. */
const IN_PERIOD = " in "

function cardParts(
  price: PriceFacts | ServiceFacts | ModeRateFacts | undefined,
): Map<string, string> {
  const parts = new Map<string, string>()
  for (const [name, value] of Object.entries(price ?? {})) {
    if (typeof value === "string") parts.set(name, value)
  }
  const regional = price?.["regional"]
  if (typeof regional === "object" && "factor" in regional) {
    parts.set("regional factor", String(regional.factor))
  }
  const { modes = {} } = (price ?? {}) as Pick<PriceFacts, "modes">
  const factors = modeFactors(price)
  for (const [name, mode] of Object.entries(modes)) {
    parts.set(`${MODE}${name}`, factors[name] ?? "1")
    const own = typeof mode === "string" ? undefined : mode
    for (const [part, value] of cardParts(own)) parts.set(`${MODE}${name}: ${part}`, value)
  }
  const tiers = price?.["tiers"]
  for (const tier of Array.isArray(tiers) ? (tiers as NonNullable<PriceFacts["tiers"]>) : []) {
    for (const [name, value] of Object.entries(tier)) {
      if (typeof value === "string") parts.set(`${name} above ${tier.above}`, value)
    }
  }
  return parts
}

const MODE = "mode "
/** Matches the part name of a class in a mode with its own rates. */
const IN_MODE = /^(?<mode>mode [^:]+): (?<part>.+)$/

/** Returns the rate of a part. A part that is not listed has the rate of its parent class or of the base tier. */
function rateOf(parts: ReadonlyMap<string, string>, name: string): string {
  const own = parts.get(name)
  if (own !== undefined) return own
  const [outside = "", period] = name.split(IN_PERIOD)
  if (period !== undefined) return rateOf(parts, outside)
  const { mode, part } = IN_MODE.exec(name)?.groups ?? {}
  if (mode !== undefined && part !== undefined) return inMode(parts, mode, part)
  if (name.startsWith(MODE) || name === "regional factor") return "1"
  const base = name.replace(/ above \d+$/, "")
  if (base !== name) return rateOf(parts, base)
  const usageClass = Object.hasOwn(CLASS_OF_NAME, name)
    ? CLASS_OF_NAME[name as PriceName]
    : undefined
  const fallback = usageClass === undefined ? undefined : fallbackOf(usageClass)
  return fallback === undefined ? "0" : rateOf(parts, NAME_OF_CLASS[fallback])
}

/** Returns the rate of a class in a mode that does not list the class. */
function inMode(parts: ReadonlyMap<string, string>, mode: string, part: string): string {
  const rate = nanos(rateOf(parts, part))
  const factor = parseDecimal(rateOf(parts, mode), 6)
  const applied = isDerived(mode, parts) && factor < 1_000_000n ? 1_000_000n : factor
  return formatDecimal((rate * applied) / 1_000_000n, 9)
}

function nanos(text: string): bigint {
  return parseDecimal(text, 9)
}

function own(models: Readonly<Record<string, ModelFacts>>, name: string): ModelFacts | undefined {
  return Object.hasOwn(models, name) ? models[name] : undefined
}
