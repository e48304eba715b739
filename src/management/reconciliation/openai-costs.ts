import * as z from "zod"
import type { PriceName } from "#contract/usage-classes.ts"
import type { TimeRange } from "../../store/settlements.ts"
import { type Bill, classOf } from "./bill.ts"
import { BilledUses, readCostList } from "./cost-lists.ts"
import {
  amountFrom,
  checkCurrency,
  type CostAddress,
  optionalText,
  quantityFrom,
} from "./cost-request.ts"

const costResult = z.object({
  amount: z.object({ value: z.string(), currency: z.string() }),
  line_item: optionalText,
  api_key_id: optionalText,
  quantity: optionalText,
  quantity_unit: optionalText,
})
const usageResult = z.object({
  model: optionalText,
  api_key_id: optionalText,
  service_tier: optionalText,
  num_model_requests: optionalText,
  input_tokens: optionalText,
  input_cached_tokens: optionalText,
  input_cache_write_tokens: optionalText,
  input_cache_write_12h_tokens: optionalText,
  input_audio_tokens: optionalText,
  input_cached_audio_tokens: optionalText,
  output_tokens: optionalText,
  output_audio_tokens: optionalText,
})

/** Usage lists that count tokens, with the fields by which they are grouped. */
const USAGE_LISTS = [
  ["/organization/usage/completions", ["model", "api_key_id", "service_tier"]],
  ["/organization/usage/embeddings", ["model", "api_key_id"]],
] as const

/** Number of single units in each `quantity_unit`. Other units, such as hours, do not belong to a class. */
const UNITS: Readonly<Record<string, bigint>> = {
  tokens: 1n,
  "1000_tokens": 1_000n,
  images: 1n,
  characters: 1n,
  duration_seconds: 1n,
}

/**
 * Reads costs by line item and key (https://platform.openai.com/docs/api-reference/usage/costs; a line item is for
 * example `gpt-6-astra, input_tokens`) and usage (https://platform.openai.com/docs/api-reference/usage/completions,
 * whose `input_tokens` are "including cached and cache-write tokens").
 */
export async function readOpenai(address: CostAddress, days: TimeRange): Promise<Bill> {
  const uses = new BilledUses()
  const { name } = address
  const range = { start_time: String(days.from / 1_000), end_time: String(days.until / 1_000) }
  const costs = {
    path: "/organization/costs",
    query: { ...range, group_by: ["line_item", "api_key_id"] },
    result: costResult,
  }
  const skipped = await readCostList(address, days, costs, (day, result) => {
    checkCurrency(name, result.amount.currency)
    const item = result.line_item ?? ""
    const comma = item.lastIndexOf(", ")
    const unit = UNITS[result.quantity_unit ?? ""]
    const model = comma === -1 ? "" : item.slice(0, comma)
    uses.addCost(
      { day, model, key: result.api_key_id ?? null },
      {
        class: classOf(item.slice(comma + 1)),
        ...amountFrom(name, result.amount.value),
        quantity: unit && result.quantity ? quantityFrom(name, result.quantity, unit) : null,
        tier: null,
      },
    )
  })
  for (const [path, groups] of USAGE_LISTS) {
    const query = { ...range, group_by: groups }
    const usage = { path, query, result: usageResult }
    await readCostList(address, days, usage, (day, result) => {
      uses.addUsage(
        { day, model: result.model ?? "", key: result.api_key_id ?? null },
        {
          quantities: quantitiesOf(name, result),
          tier: result.service_tier ?? null,
          requests: Number(quantityFrom(name, result.num_model_requests)),
        },
      )
    })
  }
  return { source: name, rows: uses.rows(), skipped }
}

function quantitiesOf(
  name: string,
  result: z.infer<typeof usageResult>,
): Partial<Record<PriceName, bigint>> {
  const cached = quantityFrom(name, result.input_cached_tokens)
  const cachedAudio = quantityFrom(name, result.input_cached_audio_tokens)
  const writes = quantityFrom(name, result.input_cache_write_tokens)
  const longWrites = quantityFrom(name, result.input_cache_write_12h_tokens)
  const audio = quantityFrom(name, result.input_audio_tokens)
  const audioOutput = quantityFrom(name, result.output_audio_tokens)
  const input = quantityFrom(name, result.input_tokens)
  return {
    input: atLeastZero(input - cached - writes - audio),
    cached_input: atLeastZero(cached - cachedAudio),
    cached_audio_input: cachedAudio,
    cache_write: atLeastZero(writes - longWrites),
    cache_write_12h: longWrites,
    audio_input: audio,
    output: atLeastZero(quantityFrom(name, result.output_tokens) - audioOutput),
    audio_output: audioOutput,
  }
}

function atLeastZero(quantity: bigint): bigint {
  return quantity < 0n ? 0n : quantity
}
