import { invalidValue } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"

const USUAL_LIMIT = 20
const MAX = 100

/**
 * A page of a list as OpenAI's API has them: `limit` from 1 to 100, `order` by place (`desc`, the newest first, where
 * no one says), `after` the id of the last one of the page before.
 * @param items the oldest first, each with an id.
 * @throws GatewayError `invalid_value`.
 */
export function pageOf(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = limitOf(query.get("limit"))
  const ordered = isAscending(query.get("order")) ? items : items.toReversed()
  const after = query.get("after")
  const last = after === null ? -1 : ordered.findIndex(({ id }) => id === after)
  if (after !== null && last === -1) {
    throw invalidValue(
      "after",
      "'after' names no item of this response. Take the last id of a page.",
    )
  }
  const data = ordered.slice(last + 1, last + 1 + limit)
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: last + 1 + limit < ordered.length,
  }
}

function limitOf(text: string | null): number {
  if (text === null) return USUAL_LIMIT
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX) return limit
  throw invalidValue("limit", `'limit' is a whole number from 1 to ${MAX}.`)
}

function isAscending(order: string | null): boolean {
  if (order === "asc") return true
  if (order === null || order === "desc") return false
  throw invalidValue("order", "'order' is 'asc' or 'desc'.")
}
