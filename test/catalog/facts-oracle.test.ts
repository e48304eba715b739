import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { z } from "zod"
import { nanos } from "../../price-data/decimal.ts"
import type { Price, PriceClass, Rates } from "../../price-data/shape.ts"
import { facts, fixtures, present } from "./known-facts.ts"

const usageSchema = z.looseObject({
  input_tokens: z.int().default(0),
  output_tokens: z.int().default(0),
  cache_read_tokens: z.int().default(0),
  cache_write_tokens: z.int().default(0),
  input_audio_tokens: z.int().default(0),
  output_image_tokens: z.int().default(0),
})
type Usage = z.infer<typeof usageSchema>
const oracleSchema = z.array(
  z.looseObject({
    model: z.string().nullable(),
    extracted: z.array(
      z.object({
        usage: usageSchema,
        extractors: z.array(
          z.looseObject({
            provider_id: z.string(),
            input_price: z.string().optional(),
            output_price: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
)

const vendorOf: Record<string, string> = { aws: "bedrock", "x-ai": "xai", voyageai: "voyage" }

interface OracleCase {
  id: string
  usage: Usage
  price: Price
  expected: bigint
}

/** Returns the cost in units of 10^-15 dollars, which are tokens times 10^-9 dollars per million. */
function cost(price: Price, usage: Usage): bigint {
  const tier = price.tiers?.findLast(({ above }) => usage.input_tokens > above)
  const rates: Rates = { ...price, ...tier }
  const at = (name: PriceClass, count: number): bigint =>
    BigInt(count) * nanos(rates[name] ?? rates.input ?? "0")
  const cached = usage.cache_read_tokens + usage.cache_write_tokens
  return (
    at("input", usage.input_tokens - cached - usage.input_audio_tokens) +
    at("cached_input", usage.cache_read_tokens) +
    at("cache_write", usage.cache_write_tokens) +
    at("audio_input", usage.input_audio_tokens) +
    BigInt(usage.output_tokens - usage.output_image_tokens) * nanos(rates.output ?? "0") +
    BigInt(usage.output_image_tokens) * nanos(rates.image_output ?? rates.output ?? "0")
  )
}

/** Converts a decimal such as `0.0872751` or `1.5E-7` to units of 10^-15 dollars. */
function femto(text: string): bigint {
  const [digits = "0", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "0", fraction = ""] = digits.split(".")
  const scale = 15 - fraction.length + Number(exponent)
  if (scale < 0) throw new RangeError(`finer than 10^-15 dollars: ${text}`)
  return BigInt(whole + fraction) * 10n ** BigInt(scale)
}

async function oracleCases(): Promise<OracleCase[]> {
  const path = join(fixtures, "genai-prices.usages-oracle.json")
  const oracle = oracleSchema.parse(await Bun.file(path).json())
  return oracle.flatMap(({ model, extracted }) =>
    extracted.flatMap(({ usage, extractors }) =>
      extractors.flatMap((each): OracleCase[] => {
        const vendor = vendorOf[each.provider_id] ?? each.provider_id
        const price = facts.vendors[vendor]?.[model ?? ""]?.price as Price | undefined
        if (price === undefined || each.input_price === undefined) return []
        const expected = femto(each.input_price) + femto(each.output_price ?? "0")
        return [{ id: `${vendor}/${model}`, usage, price, expected }]
      }),
    ),
  )
}

// Models whose price differs from the oracle's on purpose; `isMoreExpensive` is the direction.
const apart: Record<string, { isMoreExpensive: boolean; reason: string }> = {
  "openai/gpt-5.6-sol": { isMoreExpensive: false, reason: "cheaper since the oracle was written" },
  "azure/gpt-5.6-sol": { isMoreExpensive: false, reason: "cheaper since the oracle was written" },
  "mistral/mistral-medium-latest": {
    isMoreExpensive: true,
    reason: "the alias has moved on since",
  },
  "mistral/magistral-medium-latest": {
    isMoreExpensive: true,
    reason: "the alias has moved on since",
  },
  "azure/gpt-oss-120b": {
    isMoreExpensive: true,
    reason: "Azure's own price; the oracle has the price of a reseller",
  },
  "openrouter/z-ai/glm-4.6": {
    isMoreExpensive: true,
    reason: "more expensive since the oracle was written",
  },
  "openrouter/openai/gpt-oss-120b": {
    isMoreExpensive: true,
    reason: "more expensive since the oracle was written",
  },
  "openrouter/qwen/qwen3-32b": {
    isMoreExpensive: true,
    reason: "more expensive since the oracle was written",
  },
  "mistral/mistral-large-latest": {
    isMoreExpensive: false,
    reason: "the oracle prices the alias as mistral-large-2411; it is mistral-large-2512 now",
  },
}

describe.skipIf(!present)(
  "the oracle's usage at the gateway's prices (skipped without recordings)",
  () => {
    test("costs exactly as much as at the oracle", async () => {
      const cases = (await oracleCases()).filter(({ id }) => apart[id] === undefined)
      expect(cases.length).toBeGreaterThanOrEqual(59)
      const wrong = cases
        .map(({ id, usage, price, expected }) => ({ id, expected, ours: cost(price, usage) }))
        .filter(({ ours, expected }) => ours !== expected)
      expect(wrong).toEqual([])
    })

    test("costs a different amount for the excluded models, as documented", async () => {
      const cases = (await oracleCases()).filter(({ id }) => apart[id] !== undefined)
      expect(new Set(cases.map(({ id }) => id))).toEqual(new Set(Object.keys(apart)))
      for (const { id, usage, price, expected } of cases) {
        const ours = cost(price, usage)
        expect([id, ours !== expected, ours > expected]).toEqual([
          id,
          true,
          apart[id]?.isMoreExpensive === true,
        ])
      }
    })
  },
)
