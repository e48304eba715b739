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
const anthropicCosts = z.object({
  starting_at: text,
  results: z.array(
    z.object({
      amount: text,
      currency: text,
      cost_type: text.nullish(),
      description: text.nullish(),
      model: text.nullish(),
      service_tier: text.nullish(),
      token_type: text.nullish(),
    }),
  ),
})
const anthropicUsage = z.object({
  starting_at: text,
  results: z.array(
    z.object({
      model: text.nullish(),
      service_tier: text.nullish(),
      uncached_input_tokens: count,
      cache_read_input_tokens: count,
      cache_creation: z
        .object({ ephemeral_1h_input_tokens: count, ephemeral_5m_input_tokens: count })
        .nullish(),
      output_tokens: count,
      server_tool_use: z.object({ web_search_requests: count }).nullish(),
    }),
  ),
})

const CENT_PLACES = 2

/**
 * https://platform.claude.com/docs/en/api/admin/cost_report/retrieve: "Cost amount in lowest currency units (e.g. cents)
 * as a decimal string", by `description`, which sets `model`, `token_type` and `service_tier`; usage of
 * https://platform.claude.com/docs/en/api/admin/usage_report/retrieve_messages. Costs of the priority tier are not in
 * it. Both are pages of at most 31 days.
 */
export async function readAnthropic(address: CostAddress, days: Days): Promise<Bill> {
  const uses = new BilledUses()
  const { name } = address
  const query = {
    starting_at: new Date(days.from).toISOString(),
    ending_at: new Date(days.until).toISOString(),
    bucket_width: "1d",
    limit: PAGE_DAYS,
  }
  let skipped = 0
  const once = new DaysOnce(name, days)
  for await (const { starting_at: start, results } of costBuckets(address, {
    path: "/v1/organizations/cost_report",
    query: { ...query, group_by: ["description"] },
    bucket: anthropicCosts,
  })) {
    const day = Date.parse(start)
    if (!once.isWanted(day)) skipped += results.length
    else {
      for (const result of results) {
        checkCurrency(name, result.currency)
        const what = result.token_type ?? result.cost_type ?? result.description ?? ""
        const place = { day, model: result.model ?? "", key: null, class: classOf(what) }
        const amount = amountFrom(name, result.amount, CENT_PLACES)
        uses.addCost(place, { ...amount, tiers: tierOf(result.service_tier) }, null)
      }
    }
  }
  const usageOnce = new DaysOnce(name, days)
  for await (const { starting_at: start, results } of costBuckets(address, {
    path: "/v1/organizations/usage_report/messages",
    query: { ...query, group_by: ["model", "service_tier"] },
    bucket: anthropicUsage,
  })) {
    const day = Date.parse(start)
    if (!usageOnce.isWanted(day)) continue
    for (const result of results) {
      const quantities = anthropicQuantities(name, result)
      const tiers = tierOf(result.service_tier)
      const { search = 0n, ...tokens } = quantities
      const facts = { tiers, requests: null }
      uses.addUsage({ day, model: result.model ?? "", key: null }, tokens, facts)
      // Its costs are of no model.
      uses.addUsage({ day, model: "", key: null }, { search }, facts)
    }
  }
  return { source: name, rows: uses.rows(), skipped }
}

function anthropicQuantities(
  name: string,
  result: z.infer<typeof anthropicUsage>["results"][number],
): Partial<Record<PriceName, bigint>> {
  const { cache_creation: writes, server_tool_use: tools } = result
  return {
    input: quantityFrom(name, result.uncached_input_tokens),
    cached_input: quantityFrom(name, result.cache_read_input_tokens),
    cache_write: quantityFrom(name, writes?.ephemeral_5m_input_tokens),
    cache_write_1h: quantityFrom(name, writes?.ephemeral_1h_input_tokens),
    output: quantityFrom(name, result.output_tokens),
    search: quantityFrom(name, tools?.web_search_requests),
  }
}
