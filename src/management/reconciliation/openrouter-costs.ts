import * as z from "zod"
import { type Bill, BillError, type BillRow, type Days } from "./bill.ts"
import { DAY_MS } from "./bill-cells.ts"
import {
  amountFrom,
  count,
  dayText,
  getCosts,
  quantityFrom,
  type CostAddress,
} from "./cost-request.ts"

const text = z.string()
const openrouterActivity = z.object({
  data: z.array(
    z.object({
      date: text,
      model: text,
      model_permaslug: text.nullish(),
      endpoint_id: text.nullish(),
      usage: text,
      requests: count,
      prompt_tokens: count,
      completion_tokens: count,
    }),
  ),
})
const OPENROUTER_DAYS = 30

/**
 * https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity: "user activity data grouped by endpoint for
 * the last 30 (completed) UTC days", without pages; `usage` is in US dollars. What a provider bills to a key of its own
 * (`byok_usage_inference`) is not OpenRouter's bill.
 */
export async function readOpenrouter(address: CostAddress, days: Days): Promise<Bill> {
  const { name } = address
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  if (days.from < today - OPENROUTER_DAYS * DAY_MS) {
    throw new BillError(
      `${name} has the last ${OPENROUTER_DAYS} days only`,
      `Begin at ${dayText(today - OPENROUTER_DAYS * DAY_MS)} or later, or use --file.`,
    )
  }
  const { data } = await getCosts(address, {
    path: "/activity",
    query: {},
    shape: openrouterActivity,
  })
  const rows: BillRow[] = []
  const seen = new Set<string>()
  for (const item of data) {
    const date = item.date.slice(0, "2026-11-21".length)
    const day = Date.parse(date)
    const id = JSON.stringify([date, item.model, item.model_permaslug, item.endpoint_id])
    if (seen.has(id) || Number.isNaN(day)) {
      const words = Number.isNaN(day) ? "a row without a day" : `a row of ${date} twice`
      throw new BillError(`${name} sent ${words}`, "Export the bill and use --file.")
    }
    seen.add(id)
    if (day < days.from || day >= days.until) continue
    const tokens =
      quantityFrom(name, item.prompt_tokens) + quantityFrom(name, item.completion_tokens)
    rows.push({
      day,
      model: item.model,
      isDescription: false,
      key: null,
      class: null,
      quantity: tokens,
      ...amountFrom(name, item.usage),
      tiers: [],
      requests: Number(quantityFrom(name, item.requests)),
    })
  }
  return { source: name, rows, skipped: data.length - rows.length }
}
