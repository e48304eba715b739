import { headersError, invalid, OVERLOADED, reject } from "../anthropic-messages/errors.ts"
import { vendorResponse } from "../anthropic-messages/headers.ts"
import type { Exchange } from "../exchange.ts"
import { amountText, dayPage, grouped, quantityOf, type SimulatedCost } from "./simulated-costs.ts"

const MAX_DAYS = 31
const DEFAULT_DAYS = 7
const DAY_MS = 86_400_000

const TOKEN_TYPES: Readonly<Partial<Record<SimulatedCost["class"], string>>> = {
  input: "uncached_input_tokens",
  cached_input: "cache_read_input_tokens",
  cache_write: "cache_creation.ephemeral_5m_input_tokens",
  cache_write_1h: "cache_creation.ephemeral_1h_input_tokens",
  output: "output_tokens",
}

/**
 * Answers `GET /v1/organizations/cost_report` (https://platform.claude.com/docs/en/api/admin/cost_report/retrieve) and
 * `/v1/organizations/usage_report/messages` with pages of daily buckets. Costs are in cents. A key that begins with
 * `sk-ant-admin` has access. A key that contains `529` gets an overload error.
 */
export function answerAnthropicCosts(exchange: Exchange): Response {
  const { headers } = exchange
  const wrong = headersError(headers)
  if (wrong !== undefined) return reject(exchange, wrong)
  const key = headers.get("x-api-key") ?? ""
  if (!key.startsWith("sk-ant-admin")) {
    const message = "invalid x-api-key"
    return reject(exchange, { status: 401, type: "authentication_error", message })
  }
  if (key.includes("529")) return reject(exchange, OVERLOADED)
  const url = new URL(exchange.path, "http://simulator")
  const { searchParams: query } = url
  const limit = Number(query.get("limit") ?? DEFAULT_DAYS)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_DAYS) {
    return reject(exchange, invalid(`limit: must be from 1 to ${MAX_DAYS}`))
  }
  const from = Date.parse(query.get("starting_at") ?? "")
  if (Number.isNaN(from)) return reject(exchange, invalid("starting_at: Field required"))
  const until = Date.parse(query.get("ending_at") ?? new Date().toISOString())
  const page = dayPage(exchange.state.costs, { from, until, limit, page: query.get("page") })
  if (page === undefined) return reject(exchange, invalid("page: invalid"))
  const isCosts = url.pathname.endsWith("/cost_report")
  const groups = new Set(query.getAll("group_by[]"))
  const data = page.days.map(({ at, costs }) => ({
    starting_at: momentText(at),
    ending_at: momentText(at + DAY_MS),
    results: isCosts ? costResults(costs, groups) : usageResults(costs, groups),
  }))
  const { nextPage } = page
  exchange.finish()
  const body = { data, has_more: nextPage !== null, next_page: nextPage }
  return vendorResponse(JSON.stringify(body), "json")
}

function momentText(at: number): string {
  return new Date(at).toISOString().replace(".000", "")
}

function costResults(costs: readonly SimulatedCost[], groups: ReadonlySet<string>): object[] {
  const by = (cost: SimulatedCost) => ({
    currency: cost.currency ?? "USD",
    ...(groups.has("description") ? described(cost) : NOTHING),
  })
  return grouped(costs, by).map(({ group, costs: some }) => ({
    ...group,
    amount: amountText(some, true),
    workspace_id: null,
  }))
}

const NOTHING = {
  description: null,
  cost_type: null,
  model: null,
  service_tier: null,
  token_type: null,
  context_window: null,
}

function described({ class: name, model, tier = "standard" }: SimulatedCost) {
  const type = TOKEN_TYPES[name]
  if (type === undefined) {
    return { ...NOTHING, description: "Web Search Usage", cost_type: "web_search" }
  }
  return {
    description: `${model} Usage - ${type}`,
    cost_type: "tokens",
    model,
    service_tier: tier,
    token_type: type,
    context_window: "0-200k",
  }
}

function usageResults(costs: readonly SimulatedCost[], groups: ReadonlySet<string>): object[] {
  const by = ({ model, tier = "standard" }: SimulatedCost) => ({
    api_key_id: null,
    workspace_id: null,
    model: groups.has("model") ? model : null,
    service_tier: groups.has("service_tier") ? tier : null,
    context_window: null,
  })
  return grouped(costs, by).map(({ group, costs: some }) => ({
    ...group,
    uncached_input_tokens: quantityOf(some, "input"),
    cache_read_input_tokens: quantityOf(some, "cached_input"),
    cache_creation: {
      ephemeral_1h_input_tokens: quantityOf(some, "cache_write_1h"),
      ephemeral_5m_input_tokens: quantityOf(some, "cache_write"),
    },
    output_tokens: quantityOf(some, "output"),
    server_tool_use: { web_search_requests: quantityOf(some, "search") },
  }))
}
