import type { Exchange } from "../exchange.ts"
import { faultError, invalid, reject, type VendorError } from "../openai-chat/errors.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import {
  amountText,
  type DayPage,
  dayPage,
  grouped,
  quantityOf,
  requestsOf,
  type SimulatedCost,
} from "./simulated-costs.ts"

const MAX_COST_DAYS = 180
const MAX_USAGE_DAYS = 31
const DEFAULT_DAYS = 7
const SECOND_MS = 1_000
const DAY_SECONDS = 86_400

const LINE_ITEMS: Readonly<Record<SimulatedCost["class"], string>> = {
  input: "input_tokens",
  cached_input: "cached_input_tokens",
  cache_write: "cache_write_input_tokens",
  cache_write_1h: "cache_write_1h_input_tokens",
  output: "output_tokens",
  search: "web search tool calls",
}

const MISSING_SCOPE: VendorError = {
  status: 403,
  message:
    "You have insufficient permissions for this operation. Missing scopes: api.usage.read. " +
    "Check that you have the correct role in your organization.",
  type: "invalid_request_error",
  parameter: null,
  code: null,
}

/**
 * Answers `GET /v1/organization/costs` and `/v1/organization/usage/{completions,embeddings}`
 * (https://platform.openai.com/docs/api-reference/usage) with pages of daily buckets. A key that begins with `sk-admin`
 * has access. A key that contains `429` or `503` gets an error with that status.
 */
export function answerOpenaiCosts(exchange: Exchange): Response {
  const { path, headers } = exchange
  const url = new URL(path, "http://simulator")
  const key = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? ""
  if (!key.startsWith("sk-admin")) return reject(exchange, MISSING_SCOPE)
  const fault = /429|503/.exec(key)?.[0]
  const failure = fault === undefined ? undefined : faultError(fault, "costs")
  if (failure !== undefined) return reject(exchange, failure)
  const isCosts = url.pathname.endsWith("/costs")
  const { searchParams: query } = url
  const limit = Number(query.get("limit") ?? DEFAULT_DAYS)
  const maxDays = isCosts ? MAX_COST_DAYS : MAX_USAGE_DAYS
  if (!Number.isInteger(limit) || limit < 1 || limit > maxDays) {
    return reject(exchange, invalid(`'limit' must be from 1 to ${maxDays}.`, "limit", null))
  }
  const start = Number(query.get("start_time") ?? Number.NaN)
  if (!Number.isInteger(start)) {
    const message = "Missing required parameter: 'start_time'."
    return reject(exchange, invalid(message, "start_time", "missing_required_parameter"))
  }
  const until = Number(query.get("end_time") ?? Date.now() / SECOND_MS) * SECOND_MS
  const range = { from: start * SECOND_MS, until, limit, page: query.get("page") }
  const page = dayPage(exchange.state.costs.filter(isListedIn(url.pathname)), range)
  if (page === undefined) return reject(exchange, invalid("Invalid 'page'.", "page", null))
  exchange.finish()
  const groups = new Set(query.getAll("group_by[]"))
  return vendorResponse(pageText(page, groups, isCosts), "json")
}

/** Returns the filter for the costs of a usage list. Embeddings have a separate usage list. */
function isListedIn(path: string): (cost: SimulatedCost) => boolean {
  if (path.endsWith("/costs")) return () => true
  const wantsEmbeddings = path.endsWith("/embeddings")
  return ({ class: name, model }) =>
    name !== "search" && model.includes("embedding") === wantsEmbeddings
}

function pageText(page: DayPage, groups: ReadonlySet<string>, isCosts: boolean): string {
  const data = page.days.map(({ at, costs }) => ({
    object: "bucket",
    start_time: at / SECOND_MS,
    end_time: at / SECOND_MS + DAY_SECONDS,
    results: isCosts ? costResults(costs, groups) : usageResults(costs, groups),
  }))
  const { nextPage } = page
  return JSON.stringify({
    object: "page",
    data,
    has_more: nextPage !== null,
    next_page: nextPage,
  })
}

function costResults(costs: readonly SimulatedCost[], groups: ReadonlySet<string>): object[] {
  const by = (cost: SimulatedCost) => ({
    currency: (cost.currency ?? "USD").toLowerCase(),
    line_item: groups.has("line_item") ? lineItemOf(cost) : null,
    project_id: null,
    api_key_id: groups.has("api_key_id") ? (cost.key ?? null) : null,
  })
  return grouped(costs, by).map(({ group: { currency, ...group }, costs: some }) => ({
    object: "organization.costs.result",
    amount: { value: JSON.rawJSON(amountText(some)), currency },
    ...group,
    quantity: group.line_item === null ? null : quantityOf(some, ...classesOf(some)),
    quantity_unit: group.line_item === null || some[0]?.class === "search" ? null : "tokens",
  }))
}

function classesOf(costs: readonly SimulatedCost[]): SimulatedCost["class"][] {
  return costs.map((cost) => cost.class)
}

function lineItemOf(cost: SimulatedCost): string {
  const item = LINE_ITEMS[cost.class]
  return cost.class === "search" ? item : `${cost.model}, ${item}`
}

function usageResults(costs: readonly SimulatedCost[], groups: ReadonlySet<string>): object[] {
  const by = ({ model, key, tier = "default" }: SimulatedCost) => ({
    model: groups.has("model") ? model : null,
    api_key_id: groups.has("api_key_id") ? (key ?? null) : null,
    service_tier: groups.has("service_tier") ? tier : null,
  })
  return grouped(costs, by).map(({ group, costs: some }) => ({
    object: "organization.usage.completions.result",
    input_tokens: quantityOf(some, "input", "cached_input", "cache_write", "cache_write_1h"),
    output_tokens: quantityOf(some, "output"),
    input_cached_tokens: quantityOf(some, "cached_input"),
    input_cache_write_tokens: quantityOf(some, "cache_write"),
    input_audio_tokens: 0,
    output_audio_tokens: 0,
    num_model_requests: requestsOf(some),
    project_id: null,
    user_id: null,
    batch: null,
    ...group,
  }))
}
