import * as z from "zod"
import type { PriceName } from "#contract/usage-classes.ts"
import { type Bill, classOf, type Days } from "./bill.ts"
import { BilledUses } from "./billed-uses.ts"
import {
  amountFrom,
  checkCurrency,
  costBuckets,
  count,
  DaysOnce,
  PAGE_DAYS,
  quantityFrom,
  tierOf,
  type CostAddress,
} from "./cost-request.ts"

const text = z.string()
const openaiCosts = z.object({
  start_time: text,
  results: z.array(
    z.object({
      amount: z.object({ value: text, currency: text }),
      line_item: text.nullish(),
      api_key_id: text.nullish(),
      quantity: count,
      quantity_unit: text.nullish(),
    }),
  ),
})
const OPENAI_USAGE_FIELDS = {
  input_tokens: count,
  input_cached_tokens: count,
  input_cache_write_tokens: count,
  input_cache_write_12h_tokens: count,
  input_audio_tokens: count,
  input_cached_audio_tokens: count,
  output_tokens: count,
  output_audio_tokens: count,
}
const openaiUsage = z.object({
  start_time: text,
  results: z.array(
    z.object({
      ...OPENAI_USAGE_FIELDS,
      num_model_requests: count,
      model: text.nullish(),
      api_key_id: text.nullish(),
      service_tier: text.nullish(),
    }),
  ),
})

/** The lists of usage that count tokens. */
const OPENAI_USAGE = ["completions", "embeddings"]

/** Single units of `quantity_unit`; others, such as hours, are not those of a class. */
const OPENAI_UNITS: Readonly<Record<string, bigint>> = {
  tokens: 1n,
  "1000_tokens": 1_000n,
  images: 1n,
  characters: 1n,
  duration_seconds: 1n,
}

/**
 * https://platform.openai.com/docs/api-reference/usage/costs: amounts in "the numeric value of the cost" by
 * `line_item` ("the complete `line_item` value, for example `gpt-6-astra, input_tokens`") and `api_key_id`; usage of
 * https://platform.openai.com/docs/api-reference/usage/completions, whose `input_tokens` are "including cached and
 * cache-write tokens". Both are pages of daily buckets with `has_more` and `next_page`.
 */
export async function readOpenai(address: CostAddress, days: Days): Promise<Bill> {
  const uses = new BilledUses()
  const { name } = address
  const query = {
    start_time: String(days.from / 1_000),
    end_time: String(days.until / 1_000),
    bucket_width: "1d",
    limit: PAGE_DAYS,
  }
  let skipped = 0
  const costs = { ...query, group_by: ["line_item", "api_key_id"] }
  const once = new DaysOnce(name, days)
  for await (const { start_time: start, results } of costBuckets(address, {
    path: "/organization/costs",
    query: costs,
    bucket: openaiCosts,
  })) {
    const day = Number(start) * 1_000
    if (!once.isWanted(day)) skipped += results.length
    else for (const result of results) addOpenaiCost(uses, { name, day, result })
  }
  for (const kind of OPENAI_USAGE) {
    const path = `/organization/usage/${kind}`
    const group = kind === "completions" ? ["service_tier"] : []
    const grouped = { ...query, group_by: ["model", "api_key_id", ...group] }
    const usageOnce = new DaysOnce(name, days)
    const list = costBuckets(address, { path, query: grouped, bucket: openaiUsage })
    for await (const { start_time: start, results } of list) {
      const day = Number(start) * 1_000
      if (!usageOnce.isWanted(day)) continue
      for (const result of results) {
        const place = { day, model: result.model ?? "", key: result.api_key_id ?? null }
        const requests = Number(quantityFrom(name, result.num_model_requests))
        uses.addUsage(place, openaiQuantities(name, result), {
          tiers: tierOf(result.service_tier),
          requests,
        })
      }
    }
  }
  return { source: name, rows: uses.rows(), skipped }
}

interface OpenaiCost {
  readonly name: string
  readonly day: number
  readonly result: z.infer<typeof openaiCosts>["results"][number]
}

function addOpenaiCost(uses: BilledUses, { name, day, result }: OpenaiCost): void {
  checkCurrency(name, result.amount.currency)
  const item = result.line_item ?? ""
  const comma = item.lastIndexOf(", ")
  const model = comma === -1 ? "" : item.slice(0, comma)
  const unit = OPENAI_UNITS[result.quantity_unit ?? ""]
  const quantity =
    unit === undefined || !result.quantity ? null : quantityFrom(name, result.quantity, unit)
  const place = {
    day,
    model,
    key: result.api_key_id ?? null,
    class: classOf(item.slice(comma + 1)),
  }
  uses.addCost(place, { ...amountFrom(name, result.amount.value), tiers: [] }, quantity)
}

function openaiQuantities(
  name: string,
  result: z.infer<typeof openaiUsage>["results"][number],
): Partial<Record<PriceName, bigint>> {
  const of = (field: keyof typeof OPENAI_USAGE_FIELDS) => quantityFrom(name, result[field])
  const cachedAudio = of("input_cached_audio_tokens")
  const cached = of("input_cached_tokens")
  const writes = of("input_cache_write_tokens")
  const longWrites = of("input_cache_write_12h_tokens")
  const audio = of("input_audio_tokens")
  const audioOutput = of("output_audio_tokens")
  return {
    input: atLeastZero(of("input_tokens") - cached - writes - audio),
    cached_input: atLeastZero(cached - cachedAudio),
    cached_audio_input: cachedAudio,
    cache_write: atLeastZero(writes - longWrites),
    cache_write_12h: longWrites,
    audio_input: audio,
    output: atLeastZero(of("output_tokens") - audioOutput),
    audio_output: audioOutput,
  }
}

function atLeastZero(quantity: bigint): bigint {
  return quantity < 0n ? 0n : quantity
}
