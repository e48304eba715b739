import { z } from "zod"
import { decimal, highest } from "./decimal.ts"
import type { Kind, Mode, Price, PriceClass, Rates, Tier } from "./shape.ts"

const entrySchema = z.looseObject({
  litellm_provider: z.string().optional(),
  mode: z.string().optional(),
  source: z.string().optional(),
  deprecation_date: z.string().optional(),
  max_input_tokens: z.unknown().optional(),
  max_output_tokens: z.unknown().optional(),
  search_context_cost_per_query: z.record(z.string(), z.unknown()).optional().catch(undefined),
  tiered_pricing: z
    .array(z.looseObject({ range: z.tuple([z.number(), z.number()]) }))
    .optional()
    .catch(undefined),
  provider_specific_entry: z.record(z.string(), z.unknown()).optional().catch(undefined),
})

/** LiteLLM's list of models and prices. */
export const liteLlmSchema = z.record(z.string(), entrySchema)

/** The parsed list. */
export type LiteLlm = z.infer<typeof liteLlmSchema>
type Entry = z.infer<typeof entrySchema>

/** The facts in LiteLLM's list about one model at one vendor. */
export interface LiteLlmEntry {
  name: string
  kind: Kind | undefined
  price: Price | undefined
  context?: number
  maxOutput?: number
  inputs: string[]
  tools: boolean
  reasoning: boolean
  /** The date on which the model is withdrawn. */
  ends?: string
  /** The address of the page with the price. */
  source?: string
}

const kindOfMode: Record<string, Kind> = {
  audio_speech: "speech",
  audio_transcription: "transcription",
  chat: "chat",
  embedding: "embedding",
  image_generation: "image",
  rerank: "rerank",
  responses: "chat",
}

/** Fields with prices per token and per unit. */
const classOf: Record<string, PriceClass> = {
  input_cost_per_token: "input",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  cache_creation_input_token_cost_above_1hr: "cache_write_1h",
  cache_creation_input_token_cost_above_12hr: "cache_write_12h",
  output_cost_per_token: "output",
  input_cost_per_audio_token: "audio_input",
  cache_read_input_audio_token_cost: "cached_audio_input",
  input_cost_per_image_token: "image_input",
  output_cost_per_audio_token: "audio_output",
  output_cost_per_image_token: "image_output",
}
const modeOf = {
  _priority: "priority",
  _flex: "flex",
  _batches: "batch",
  _ultrafast: "ultrafast",
} as const
const tierName = /_above_(?<thousands>\d+)k_tokens$/

/** Returns the entries of the given providers, by the vendor's own names for the models. */
export function entriesOf(
  source: LiteLlm,
  providers: readonly string[],
): Map<string, LiteLlmEntry> {
  const entries = new Map<string, LiteLlmEntry>()
  for (const [key, entry] of Object.entries(source)) {
    const provider = entry.litellm_provider ?? ""
    if (!providers.includes(provider)) continue
    const name = key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key
    // A path that remains in the name is a size, a quality or a region.
    if (!hasPaths.has(provider) && name.includes("/")) continue
    entries.set(name, described(name, entry))
  }
  return entries
}

/** Returns the factors on prices at all locations except `global`, by the vendor's own names for the models. */
export function regionalFactors(
  source: LiteLlm,
  providers: readonly string[],
): ReadonlyMap<string, string> {
  const factors = new Map<string, string>()
  for (const [key, entry] of Object.entries(source)) {
    const factor = entry["regional_endpoint_uplift_multiplier"]
    if (!providers.includes(entry.litellm_provider ?? "") || typeof factor !== "number") continue
    factors.set(key.slice(key.lastIndexOf("/") + 1), decimal(factor))
  }
  return factors
}

const senses = [
  ["supports_vision", "image"],
  ["supports_audio_input", "audio"],
  ["supports_video_input", "video"],
  ["supports_pdf_input", "pdf"],
] as const

/** Providers whose model names contain a slash. */
const hasPaths = new Set([
  "baseten",
  "cloudflare",
  "deepinfra",
  "fireworks_ai",
  "groq",
  "nebius",
  "novita",
  "nvidia_nim",
  "together_ai",
  "vercel_ai_gateway",
])

function described(name: string, entry: Entry): LiteLlmEntry {
  const speaks = typeof entry["input_cost_per_character"] === "number" ? "audio_speech" : ""
  const kind = kindOfMode[entry.mode ?? speaks]
  const price = kind === undefined ? undefined : priceOf(entry, kind)
  const { max_input_tokens: context, max_output_tokens: maxOutput } = entry
  const { deprecation_date: ends, source } = entry
  return {
    name,
    kind,
    price,
    inputs: ["text", ...senses.filter(([flag]) => entry[flag] === true).map(([, input]) => input)],
    tools: entry["supports_function_calling"] === true,
    reasoning: entry["supports_reasoning"] === true,
    ...(typeof context === "number" && context > 0 ? { context } : {}),
    ...(typeof maxOutput === "number" && maxOutput > 0 ? { maxOutput } : {}),
    ...(ends === undefined ? {} : { ends }),
    ...(source === undefined ? {} : { source }),
  }
}

function priceOf(entry: Entry, kind: Kind): Price | undefined {
  const [lowest, ...higher] = (entry.tiered_pricing ?? []).toSorted(
    (left, right) => left.range[0] - right.range[0],
  )
  const costs = [...costsOf(entry), ...costsOf(lowest ?? {})]
  const price: Price = ratesFrom(costs, "")
  if (price.input === undefined && price.output === undefined) countUnits(price, entry, kind)
  if (kind === "rerank" && typeof entry["input_cost_per_query"] === "number") {
    delete price.input
    delete price.output
    price.search = decimal(entry["input_cost_per_query"] * 1e6)
  }
  if (Object.keys(price).length === 0) return undefined
  if (kind === "chat") Object.assign(price, searchPrices(entry))
  const ranges = higher.map((each): Tier => {
    return { above: each.range[0], ...ratesFrom(costsOf(each), "") }
  })
  const tiers = ranges.length > 0 ? ranges : tiersFrom(costs)
  if (tiers.length > 0) price.tiers = tiers
  const modes = modesFrom(costs, entry)
  if (Object.keys(modes).length > 0) price.modes = modes
  return price
}

function costsOf(entry: object): [string, number][] {
  return Object.entries(entry).filter(
    (cost): cost is [string, number] => typeof cost[1] === "number" && cost[1] >= 0,
  )
}

function ratesFrom(costs: readonly (readonly [string, number])[], suffix: string): Rates {
  const rates: Rates = {}
  for (const [key, cost] of costs) {
    if (!key.endsWith(suffix)) continue
    const name = classOf[key.slice(0, key.length - suffix.length)]
    if (name !== undefined) rates[name] = decimal(cost * 1e6)
  }
  const reasoning = costs.find(([key]) => key === `output_cost_per_reasoning_token${suffix}`)
  if (reasoning === undefined || rates.output === undefined) return rates
  // Usage does not always count reasoning separately, so the higher of both prices is used.
  rates.output = highest(rates.output, decimal(reasoning[1] * 1e6)) ?? rates.output
  return rates
}

/** Adds prices per unit for a model without a price per token. */
function countUnits(price: Price, entry: Entry, kind: Kind): void {
  const unit = { speech: "character", transcription: "second", image: "image" } as const
  const cost = {
    speech: entry["input_cost_per_character"],
    transcription: entry["input_cost_per_second"],
    image: entry["output_cost_per_image"],
  }
  if (kind !== "speech" && kind !== "transcription" && kind !== "image") return
  const value = cost[kind]
  if (typeof value === "number") price[unit[kind]] = decimal(value * 1e6)
}

/** Returns the highest search price of all context sizes, and the prices of smaller sizes, per million searches. */
function searchPrices(entry: Entry): Rates {
  const costs = Object.entries(entry.search_context_cost_per_query ?? {})
  const sizes = Object.fromEntries(
    costs.flatMap(([size, cost]) =>
      typeof cost === "number" ? [[size, decimal(cost * 1e6)] as const] : [],
    ),
  )
  const search = highest(...Object.values(sizes))
  const { search_context_size_medium: medium, search_context_size_low: low } = sizes
  return {
    ...(search !== undefined && { search }),
    ...(medium !== undefined && { request_medium: medium }),
    ...(low !== undefined && { request_low: low }),
  }
}

function tiersFrom(costs: readonly (readonly [string, number])[]): Tier[] {
  const sizes = costs.flatMap(([key]) => Number(tierName.exec(key)?.groups?.["thousands"] ?? []))
  return [...new Set(sizes.filter((size) => size > 0))]
    .toSorted((left, right) => left - right)
    .map((size): Tier => ({ above: size * 1000, ...ratesFrom(costs, `_above_${size}k_tokens`) }))
}

function modesFrom(
  costs: readonly (readonly [string, number])[],
  entry: Entry,
): Record<string, Mode> {
  const modes: Record<string, Mode> = {}
  for (const [suffix, mode] of Object.entries(modeOf)) {
    const own = costs.flatMap(([key, cost]) => {
      return key.endsWith(suffix) ? [[key.slice(0, -suffix.length), cost] as const] : []
    })
    const rates = ratesFrom(own, "")
    const tiers = tiersFrom(own)
    if (Object.keys(rates).length > 0)
      modes[mode] = { ...rates, ...(tiers.length > 0 && { tiers }) }
  }
  const fast = entry.provider_specific_entry?.["fast"]
  if (typeof fast === "number") modes["fast"] = decimal(fast)
  return modes
}
