import * as z from "zod"
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
  amount: z.string(),
  currency: z.string(),
  cost_type: optionalText,
  description: optionalText,
  model: optionalText,
  service_tier: optionalText,
  token_type: optionalText,
})
const usageResult = z.object({
  model: optionalText,
  service_tier: optionalText,
  uncached_input_tokens: optionalText,
  cache_read_input_tokens: optionalText,
  cache_creation: z
    .object({ ephemeral_1h_input_tokens: optionalText, ephemeral_5m_input_tokens: optionalText })
    .nullish(),
  output_tokens: optionalText,
  server_tool_use: z.object({ web_search_requests: optionalText }).nullish(),
})

const CENT_PLACES = 2

/**
 * Reads costs (https://platform.claude.com/docs/en/api/admin/cost_report/retrieve: "Cost amount in lowest currency
 * units (e.g. cents) as a decimal string"; costs of the priority tier are not in it) and usage
 * (https://platform.claude.com/docs/en/api/admin/usage_report/retrieve_messages).
 */
export async function readAnthropic(address: CostAddress, days: TimeRange): Promise<Bill> {
  const uses = new BilledUses()
  const { name } = address
  const range = {
    starting_at: new Date(days.from).toISOString(),
    ending_at: new Date(days.until).toISOString(),
  }
  const costs = {
    path: "/v1/organizations/cost_report",
    query: { ...range, group_by: ["description"] },
    result: costResult,
  }
  const skipped = await readCostList(address, days, costs, (day, result) => {
    checkCurrency(name, result.currency)
    uses.addCost(
      { day, model: result.model ?? "", key: null },
      {
        class: classOf(result.token_type ?? result.cost_type ?? result.description ?? ""),
        ...amountFrom(name, result.amount, CENT_PLACES),
        quantity: null,
        tier: result.service_tier ?? null,
      },
    )
  })
  const usage = {
    path: "/v1/organizations/usage_report/messages",
    query: { ...range, group_by: ["model", "service_tier"] },
    result: usageResult,
  }
  await readCostList(address, days, usage, (day, result) => {
    const { cache_creation: writes, server_tool_use: tools } = result
    const facts = { tier: result.service_tier ?? null, requests: null }
    const quantities = {
      input: quantityFrom(name, result.uncached_input_tokens),
      cached_input: quantityFrom(name, result.cache_read_input_tokens),
      cache_write: quantityFrom(name, writes?.ephemeral_5m_input_tokens),
      cache_write_1h: quantityFrom(name, writes?.ephemeral_1h_input_tokens),
      output: quantityFrom(name, result.output_tokens),
    }
    uses.addUsage({ day, model: result.model ?? "", key: null }, { quantities, ...facts })
    // The costs of web searches are billed without a model.
    const searches = { search: quantityFrom(name, tools?.web_search_requests) }
    uses.addUsage({ day, model: "", key: null }, { quantities: searches, ...facts })
  })
  return { source: name, rows: uses.rows(), skipped }
}
