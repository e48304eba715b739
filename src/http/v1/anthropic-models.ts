import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Model } from "../../catalog/model.ts"

/** Default and maximum size of a page (`PageParams` of the official client). */
const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/**
 * Whether the caller of the model list is one of Anthropic's client libraries. All requests of these clients have this
 * header.
 */
export function speaksAnthropic(headers: Headers): boolean {
  return headers.has("anthropic-version")
}

/** Returns a model in the format of Anthropic's API (`ModelInfo` of the official client). Unknown values are null. */
export function anthropicModel(model: Model): JsonObject {
  return {
    type: "model",
    id: model.id,
    display_name: model.id,
    created_at: new Date(model.created * 1000).toISOString(),
    capabilities: null,
    deprecated_at: null,
    lifecycle: "active",
    line: null,
    max_input_tokens: model.context ?? null,
    max_tokens: model.maxOutput ?? null,
    retires_at: null,
  }
}

/**
 * Returns a page of at most `limit` models, after `after_id` or before `before_id`.
 * @throws GatewayError with the name of the invalid parameter.
 */
export function anthropicPage(all: readonly Model[], query: URLSearchParams): JsonObject {
  const models = isAskedForActive(query) ? all : []
  const limit = limitOf(query)
  const after = placeOf(models, query, "after_id")
  const before = placeOf(models, query, "before_id")
  const start = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - limit)
  const end = before ?? Math.min(models.length, start + limit)
  const page = models.slice(start, end)
  return {
    data: page.map(anthropicModel),
    has_more: before === undefined ? end < models.length : start > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

/** Whether the query requests active models. All listed models are active. */
function isAskedForActive(query: URLSearchParams): boolean {
  const stages = [...query.getAll("lifecycle"), ...query.getAll("lifecycle[]")]
  return stages.length === 0 || stages.includes("active")
}

function limitOf(query: URLSearchParams): number {
  const text = query.get("limit")
  if (text === null) return DEFAULT_LIMIT
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new GatewayError("invalid_value", `'limit' must be a number from 1 to ${MAX_LIMIT}.`, {
    parameter: "limit",
  })
}

function placeOf(
  models: readonly Model[],
  query: URLSearchParams,
  name: "after_id" | "before_id",
): number | undefined {
  const id = query.get(name)
  if (id === null || id === "") return undefined
  const place = models.findIndex((model) => model.id === id)
  if (place !== -1) return place
  throw new GatewayError(
    "invalid_value",
    `'${name}' is not a model of this list. Use 'first_id' or 'last_id' of a page.`,
    { parameter: name },
  )
}
