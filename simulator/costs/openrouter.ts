import type { Exchange } from "../exchange.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import { amountText, grouped, quantityOf, requestsOf } from "./simulated-costs.ts"

const DAY_MS = 86_400_000
const DAYS = 30

/**
 * Answers `GET /api/v1/activity` (https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity) with the
 * last 30 completed days, by model. A key that begins with `sk-or-management` has access.
 */
export function answerActivity(exchange: Exchange): Response {
  const { path, headers, state } = exchange
  const key = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
  if (key === undefined) return reject(exchange, 401, "Missing Authentication header")
  if (!key.startsWith("sk-or-management")) {
    return reject(exchange, 403, "Only management keys can fetch activity for an account")
  }
  const wanted = new URL(path, "http://simulator").searchParams.get("date")
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const costs = state.costs.filter(({ day }) => {
    const at = Date.parse(day)
    return at < today && at >= today - DAYS * DAY_MS && (wanted === null || wanted === day)
  })
  const data = grouped(costs, ({ day, model }) => ({ day, model })).map(
    ({ group: { day, model }, costs: some }) => ({
      date: day,
      model,
      model_permaslug: model,
      endpoint_id: `endpoint of ${model}`,
      provider_name: "Simulator",
      usage: JSON.rawJSON(amountText(some)),
      byok_usage_inference: 0,
      requests: requestsOf(some),
      prompt_tokens: quantityOf(some, "input", "cached_input", "cache_write", "cache_write_1h"),
      completion_tokens: quantityOf(some, "output"),
      reasoning_tokens: 0,
    }),
  )
  exchange.finish()
  return vendorResponse(JSON.stringify({ data }), "json")
}

function reject(exchange: Exchange, code: number, message: string): Response {
  exchange.finish()
  return vendorResponse(JSON.stringify({ error: { message, code } }), "error", code)
}
