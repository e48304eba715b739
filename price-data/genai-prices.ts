import { z } from "zod"
import { decimal, highest } from "./decimal.ts"
import { priceClasses } from "./shape.ts"
import type { Mode, Price, PriceClass, Rates, Tier } from "./shape.ts"

interface Clause {
  or?: Clause[] | undefined
  and?: Clause[] | undefined
  equals?: string | undefined
  starts_with?: string | undefined
  ends_with?: string | undefined
  contains?: string | undefined
  regex?: string | undefined
}
const clauseSchema: z.ZodType<Clause> = z.strictObject({
  or: z.lazy(() => z.array(clauseSchema)).optional(),
  and: z.lazy(() => z.array(clauseSchema)).optional(),
  equals: z.string().optional(),
  starts_with: z.string().optional(),
  ends_with: z.string().optional(),
  contains: z.string().optional(),
  regex: z.string().optional(),
})
const rateSchema = z.union([
  z.number(),
  z.object({
    base: z.number(),
    tiers: z.array(z.object({ start: z.number(), price: z.number() })),
  }),
])
const pricesSchema = z.record(z.string(), rateSchema)
const constraintSchema = z.strictObject({
  start_date: z.string().optional(),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
})
const conditionalSchema = z.object({
  constraint: constraintSchema.nullish(),
  prices: pricesSchema,
})
const variantSchema = conditionalSchema.extend({ when: z.record(z.string(), z.string()) })
const recordSchema = z.looseObject({
  id: z.string(),
  match: clauseSchema,
  context_window: z.number().nullish(),
  deprecated: z.boolean().nullish(),
  price_comments: z.string().nullish(),
  prices: z.union([pricesSchema, z.array(conditionalSchema)]),
  price_variants: z.array(variantSchema).nullish(),
})

/** The list of genai-prices: providers, each with records whose clauses match model names. */
export const genaiPricesSchema = z.array(
  z.looseObject({
    id: z.string(),
    fallback_model_providers: z.array(z.string()).nullish(),
    models: z.array(recordSchema),
  }),
)

/** The parsed list. */
export type GenaiPrices = z.infer<typeof genaiPricesSchema>
/** One record: the clause that matches its models, and the prices of these models. */
export type PriceRecord = z.infer<typeof recordSchema>

const classOf: Record<string, PriceClass> = {
  input_mtok: "input",
  cache_read_mtok: "cached_input",
  cache_write_mtok: "cache_write",
  cache_write_1h_mtok: "cache_write_1h",
  output_mtok: "output",
  // Usage does not always count reasoning separately, so the higher of both prices is used.
  output_reasoning_mtok: "output",
  output_image_mtok: "image_output",
  input_audio_mtok: "audio_input",
  input_image_mtok: "image_input",
  cache_audio_read_mtok: "cached_audio_input",
  output_audio_mtok: "audio_output",
  input_mchars: "character",
}
/** Prices per thousand. */
const thousandOf: Record<string, PriceClass> = {
  requests_kcount: "request",
  web_searches_kcount: "search",
}
/** Prices per hour. */
const hourOf: Record<string, PriceClass> = {
  audio_hours: "second",
  input_audio_hours: "second",
}
/** Prices of classes that do not exist in the gateway, or that are in the table of vendors (`services.ts`). */
const leftOut = new Set([
  "cache_image_read_mtok",
  "input_annotated_document_kpages",
  "input_document_kpages",
  "input_text_messages_kcount",
  "input_video_mtok",
  "output_citation_mtok",
  "output_video_mtok",
  "storage_searches_kcount",
])

/** The price of a record on one date. */
export interface Quote {
  price: Price
  /** Whether the record states explicitly that there is no long-context price. */
  flat: boolean
}

/** Returns the records of one provider. */
export function recordsOf(source: GenaiPrices, provider: string): PriceRecord[] {
  const found = source.find((candidate) => candidate.id === provider)
  if (found === undefined) throw new Error(`genai-prices has no provider ${provider}`)
  return found.models
}

/** Returns the first record of the provider, or of its fallbacks, that matches the name. */
export function recordFor(
  source: GenaiPrices,
  provider: string,
  name: string,
): PriceRecord | undefined {
  const found = source.find((candidate) => candidate.id === provider)
  for (const id of [provider, ...(found?.fallback_model_providers ?? [])]) {
    const record = recordsOf(source, id).find((candidate) => matches(candidate.match, name))
    if (record !== undefined) return record
  }
  return undefined
}

/** Whether a clause matches. All clauses except `regex` ignore case, as in the library of genai-prices. */
export function matches(clause: Clause, name: string): boolean {
  const text = name.toLowerCase()
  if (clause.or !== undefined) return clause.or.some((inner) => matches(inner, name))
  if (clause.and !== undefined) return clause.and.every((inner) => matches(inner, name))
  if (clause.equals !== undefined) return text === clause.equals.toLowerCase()
  if (clause.starts_with !== undefined) return text.startsWith(clause.starts_with.toLowerCase())
  if (clause.ends_with !== undefined) return text.endsWith(clause.ends_with.toLowerCase())
  if (clause.contains !== undefined) return text.includes(clause.contains.toLowerCase())
  return clause.regex !== undefined && new RegExp(clause.regex).test(name)
}

// Text before or after a matched part that does not name another model: a region before the part, or a version after
// it.
const regionBefore = /^([a-z-]+\.)?$/
const versionAfter = /^([-@:](v\d+|\d{8}|\d{2}-\d{4}|default|\d))*$/

/**
 * Whether a record applies to exactly this model. A clause such as `starts_with: mistral-medium` also matches later
 * models with other prices.
 */
export function isPrecise(record: PriceRecord, name: string): boolean {
  const text = name.toLowerCase()
  const precise = (clause: Clause): boolean => {
    if (clause.or !== undefined) return clause.or.some(precise)
    if (!matches(clause, name)) return false
    const part = (clause.starts_with ?? clause.ends_with ?? clause.contains)?.toLowerCase()
    if (part === undefined) return true
    const at = text.indexOf(part)
    return regionBefore.test(text.slice(0, at)) && versionAfter.test(text.slice(at + part.length))
  }
  return record.id === name || precise(record.match)
}

/** Returns the exact names in a record: those of its `equals` clauses, and its id if a clause starts with the id. */
export function exactNames(record: PriceRecord): string[] {
  const names = new Set<string>()
  const visit = (clause: Clause): void => {
    clause.or?.forEach(visit)
    // Clauses ignore case. The id has the spelling of the vendor's name.
    const isId = clause.equals?.toLowerCase() === record.id.toLowerCase()
    if (clause.equals !== undefined) names.add(isId ? record.id : clause.equals)
    if (clause.starts_with === record.id) names.add(record.id)
  }
  visit(record.match)
  return [...names]
}

/**
 * Returns the price that applies on a date (`YYYY-MM-DD`); undefined if the record has no price on that date. If the
 * price changes with the time of day, the price of the most expensive hour is used.
 */
export function quoteOf(record: PriceRecord, date: string): Quote | undefined {
  const choices = Array.isArray(record.prices) ? record.prices : [{ prices: record.prices }]
  const active = choices.filter((choice) => startOf(choice) <= date)
  const isHourly = (choice: Conditional): boolean => choice.constraint?.start_time !== undefined
  // The last applicable price is used, as in the library of genai-prices.
  const prices = (active.findLast((choice) => !isHourly(choice)) ?? choices[0])?.prices
  if (prices === undefined || Object.keys(prices).length === 0) return undefined
  const price = priceOf(prices)
  for (const hour of active.filter(isHourly)) raise(price, priceOf(hour.prices))
  const modes = modesOf(record, date)
  if (Object.keys(modes).length > 0) price.modes = modes
  const endedTiers =
    price.tiers === undefined && active.some((choice) => priceOf(choice.prices).tiers)
  return {
    price,
    flat: endedTiers || /flat pricing|flat across/i.test(record.price_comments ?? ""),
  }
}

/**
 * Returns the first day (`YYYY-MM-DD`) after a date on which a record has another price; undefined if the price does
 * not change.
 */
export function nextChangeOf(record: PriceRecord, date: string): string | undefined {
  const choices = Array.isArray(record.prices) ? record.prices : []
  const starts = choices.map(startOf).filter((start) => start > date)
  return starts.toSorted()[0]
}

type Conditional = z.infer<typeof conditionalSchema>

function startOf({ constraint }: Conditional): string {
  return constraint?.start_date ?? ""
}

function raise(price: Price, other: Price): void {
  for (const name of priceClasses) {
    const value = highest(price[name], other[name])
    if (value !== undefined) price[name] = value
  }
}

/** The service modes that a request can select in the gateway. */
const MODES = new Set([
  "service_tier=priority",
  "service_tier=flex",
  "speed=fast",
  "processing=batch",
])

function modesOf(record: PriceRecord, date: string): Record<string, Mode> {
  const modes: Record<string, Mode> = {}
  const active = (record.price_variants ?? []).filter((variant) => startOf(variant) <= date)
  // The newest of several variants applies.
  for (const variant of active.toSorted((left, right) =>
    startOf(left) < startOf(right) ? -1 : 1,
  )) {
    const [[field, mode] = [], ...others] = Object.entries(variant.when)
    if (mode === undefined || others.length > 0 || !MODES.has(`${field}=${mode}`)) continue
    const rates = priceOf(variant.prices)
    if (Object.keys(rates).length > 0) modes[mode] = rates
  }
  return modes
}

function priceOf(prices: z.infer<typeof pricesSchema>): Price {
  const price: Price = ratesAt(prices, 0)
  const starts = Object.values(prices).flatMap((rate) =>
    typeof rate === "number" ? [] : rate.tiers.map((tier) => tier.start),
  )
  const tiers = [...new Set(starts)]
    .toSorted((left, right) => left - right)
    .map((above): Tier => ({ above, ...tieredRatesAt(prices, above) }))
  if (tiers.length > 0) price.tiers = tiers
  return price
}

function tieredRatesAt(prices: z.infer<typeof pricesSchema>, above: number): Rates {
  const tiered = Object.entries(prices).filter(([, rate]) => typeof rate !== "number")
  return ratesAt(Object.fromEntries(tiered), above)
}

function ratesAt(prices: z.infer<typeof pricesSchema>, above: number): Rates {
  const rates: Rates = {}
  for (const [key, rate] of Object.entries(prices)) {
    const reached = typeof rate === "number" ? [] : rate.tiers.filter((tier) => tier.start <= above)
    const value = typeof rate === "number" ? rate : (reached.at(-1)?.price ?? rate.base)
    const name = classOf[key] ?? thousandOf[key] ?? hourOf[key]
    if (name === undefined && leftOut.has(key)) continue
    if (name === undefined)
      throw new Error(`genai-prices has a price this script does not know: ${key}`)
    const million = key in thousandOf ? value * 1000 : key in hourOf ? (value / 3600) * 1e6 : value
    rates[name] = highest(rates[name], decimal(million)) ?? decimal(million)
  }
  return rates
}
