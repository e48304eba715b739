import { DAY_MS } from "#contract/durations.ts"
import * as z from "zod"
import type { TimeRange } from "../../store/settlements.ts"
import { type Bill, BillError, type BillRow, dayText } from "./bill.ts"
import {
  amountFrom,
  type CostAddress,
  getCosts,
  optionalText,
  quantityFrom,
} from "./cost-request.ts"

const activity = z.object({
  data: z.array(
    z.object({
      date: z.string(),
      model: z.string(),
      model_permaslug: optionalText,
      endpoint_id: optionalText,
      usage: z.string(),
      requests: optionalText,
      prompt_tokens: optionalText,
      completion_tokens: optionalText,
    }),
  ),
})
const MAX_AGE_DAYS = 30

/**
 * Reads https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity: "user activity data grouped by
 * endpoint for the last 30 (completed) UTC days", without pages; `usage` is in US dollars. It leaves out
 * `byok_usage_inference`, which other providers bill to the caller's own keys.
 */
export async function readOpenrouter(address: CostAddress, days: TimeRange): Promise<Bill> {
  const { name } = address
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const oldest = today - MAX_AGE_DAYS * DAY_MS
  if (days.from < oldest) {
    throw new BillError(
      `${name} has only the last ${MAX_AGE_DAYS} days`,
      `Begin at ${dayText(oldest)} or later, or use --file.`,
    )
  }
  const { data } = await getCosts(address, { path: "/activity", query: {}, shape: activity })
  const rows: BillRow[] = []
  const seen = new Set<string>()
  for (const item of data) {
    const date = item.date.slice(0, "2026-11-21".length)
    const day = Date.parse(date)
    const id = JSON.stringify([date, item.model, item.model_permaslug, item.endpoint_id])
    if (seen.has(id) || Number.isNaN(day)) {
      const text = Number.isNaN(day) ? "a row without a day" : `a row for ${date} twice`
      throw new BillError(`${name} sent ${text}`, "Export the bill and use --file.")
    }
    seen.add(id)
    if (day < days.from || day >= days.until) continue
    rows.push({
      day,
      model: item.model,
      isDescription: false,
      key: null,
      class: null,
      quantity: quantityFrom(name, item.prompt_tokens) + quantityFrom(name, item.completion_tokens),
      ...amountFrom(name, item.usage),
      tiers: [],
      requests: Number(quantityFrom(name, item.requests)),
    })
  }
  return { source: name, rows, skipped: data.length - rows.length }
}
