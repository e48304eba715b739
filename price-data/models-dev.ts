import { z } from "zod"
import { decimal, highest } from "./decimal.ts"
import type { Mode, Price, PriceClass, Rates, Tier } from "./shape.ts"

const costSchema = z.record(z.string(), z.unknown())
/** A service mode: how a request selects the mode, and the mode's price. */
const modeSchema = z.looseObject({
  cost: costSchema.optional(),
  provider: z.looseObject({ body: z.record(z.string(), z.unknown()).optional() }).optional(),
})
const modelSchema = z.looseObject({
  canonical_model_id: z.string().optional(),
  release_date: z.string().optional(),
  status: z.string().optional(),
  tool_call: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  reasoning_options: z
    .array(z.looseObject({ type: z.string(), values: z.array(z.string()).optional() }))
    .optional()
    .catch(undefined),
  temperature: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  interleaved: z.looseObject({ field: z.string().optional() }).optional().catch(undefined),
  modalities: z
    .object({ input: z.array(z.string()).optional(), output: z.array(z.string()).optional() })
    .optional(),
  limit: z.object({ context: z.number().optional(), output: z.number().optional() }).optional(),
  cost: costSchema.optional(),
  experimental: z
    .looseObject({ modes: z.record(z.string(), modeSchema).optional() })
    .optional()
    .catch(undefined),
})
const tierSchema = z.looseObject({
  tier: z.looseObject({ size: z.number(), type: z.literal("context").optional() }),
})

/** The list of models.dev: providers by id, each with its models by name. */
export const modelsDevSchema = z.record(
  z.string(),
  z.looseObject({ models: z.record(z.string(), modelSchema) }),
)

/** The parsed list. */
export type ModelsDev = z.infer<typeof modelsDevSchema>
type Model = z.infer<typeof modelSchema>

/** One model of one vendor in the list of models.dev. */
export interface Listing {
  name: string
  /** The id of the model independent of the vendor: the name of its maker and its own name. */
  base?: string
  releaseDate?: string
  status?: string
  context?: number
  maxOutput?: number
  inputs: string[]
  outputs: string[]
  tools: boolean
  reasoning: boolean
  /** The effort levels that the model accepts. */
  efforts?: string[]
  /** Whether a separate parameter can switch the model's reasoning off. */
  hasReasoningSwitch?: boolean
  /** The member of an assistant message in which the model's reasoning must be sent back. */
  reasoningField?: string
  /** Whether the model accepts a temperature. */
  temperature?: boolean
  /** Whether responses can follow a JSON schema. */
  structuredOutput?: boolean
  price?: Price
  notes: string[]
}

// Price classes by their spellings. The list has many authors, so a class has several spellings.
const spellings: Record<string, PriceClass> = {
  input: "input",
  cache_read: "cached_input",
  cache_input: "cached_input",
  cached_input: "cached_input",
  cache_write: "cache_write",
  cached_write: "cache_write",
  output: "output",
  // Some vendors price thinking separately. Usage does not always count it separately, so the higher price is held.
  reasoning: "output",
  input_audio: "audio_input",
  output_audio: "audio_output",
}

/** Returns the models of one provider in models.dev. */
export function listingsOf(source: ModelsDev, provider: string): Listing[] {
  const models = source[provider]?.models
  if (models === undefined) throw new Error(`models.dev has no provider ${provider}`)
  return Object.entries(models).map(([name, model]) => listing(name, model))
}

function listing(name: string, model: Model): Listing {
  const notes: string[] = []
  const price = model.cost === undefined ? undefined : priceOf(model.cost, notes)
  const modes = price === undefined ? {} : modesOf(model)
  if (price !== undefined && Object.keys(modes).length > 0) price.modes = modes
  const context = model.limit?.context ?? 0
  const maxOutput = model.limit?.output ?? 0
  return {
    name,
    inputs: model.modalities?.input ?? [],
    outputs: model.modalities?.output ?? [],
    tools: model.tool_call === true,
    reasoning: model.reasoning === true,
    notes,
    ...rulesOf(model),
    ...(model.canonical_model_id === undefined ? {} : { base: model.canonical_model_id }),
    ...(model.release_date === undefined ? {} : { releaseDate: model.release_date }),
    ...(model.status === undefined ? {} : { status: model.status }),
    // The list contains 0 for an unknown value.
    ...(context > 0 ? { context } : {}),
    ...(maxOutput > 0 ? { maxOutput } : {}),
    ...(price === undefined ? {} : { price }),
  }
}

/** Returns the parameters that a model accepts according to the list. */
function rulesOf(model: Model): Partial<Listing> {
  const { reasoning_options: options = [], interleaved, temperature } = model
  const efforts = options.find(({ type }) => type === "effort")?.values
  return {
    ...(efforts === undefined || efforts.length === 0 ? {} : { efforts }),
    ...(options.some(({ type }) => type === "toggle") ? { hasReasoningSwitch: true } : {}),
    ...(interleaved?.field === undefined ? {} : { reasoningField: interleaved.field }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(model.structured_output === undefined ? {} : { structuredOutput: model.structured_output }),
  }
}

/** Fields of a request that select a mode. Their value is the name of the mode. */
const MODE_FIELDS = ["service_tier", "speed"] as const

function modesOf(model: Model): Record<string, Mode> {
  const modes: Record<string, Mode> = {}
  for (const mode of Object.values(model.experimental?.modes ?? {})) {
    const name = MODE_FIELDS.map((field) => mode.provider?.body?.[field]).find(
      (value) => typeof value === "string",
    )
    if (typeof name !== "string" || mode.cost === undefined) continue
    const rates = priceOf(mode.cost, [])
    if (Object.keys(rates).length > 0) modes[name] = rates
  }
  return modes
}

function priceOf(cost: Record<string, unknown>, notes: string[]): Price {
  const price: Price = ratesFrom(cost, notes)
  const tiers = z
    .array(tierSchema)
    .parse(cost["tiers"] ?? [])
    .map((tier): Tier => ({ above: lastBelow(tier.tier.size), ...ratesFrom(tier, notes) }))
  if (tiers.length > 0) price.tiers = tiers.toSorted((left, right) => left.above - right.above)
  return price
}

/**
 * Returns the highest number of tokens that is below a tier. For Vercel, the list contains the first number of a tier,
 * such as 200,001 (`min` in the tiers of ai-gateway.vercel.sh/v1/models, which follow each other without a gap).
 */
function lastBelow(size: number): number {
  return size % 1_000 === 1 ? size - 1 : size
}

function ratesFrom(cost: Record<string, unknown>, notes: string[]): Rates {
  const rates: Rates = {}
  for (const [key, value] of Object.entries(cost)) {
    if (typeof value !== "number") continue
    const spelled = spellings[key]
    if (spelled !== undefined) {
      const known = rates[spelled]
      rates[spelled] = highest(known, decimal(value)) ?? decimal(value)
      if (key === "reasoning" && cost["output"] !== value) {
        notes.push(`reasoning at ${value}, output at ${String(cost["output"])}: the higher is kept`)
      }
    } else if (key === "request") {
      // In the only listing with this price, it is in dollars per thousand searches.
      rates.search = decimal(value * 1000)
    } else {
      notes.push(`cost.${key} (${value}) has no class here`)
    }
  }
  return rates
}
