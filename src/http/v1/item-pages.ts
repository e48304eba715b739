import { invalidValue } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** A list of items with ids, the oldest item first. */
export interface ItemList {
  readonly length: number
  readonly itemAt: (index: number) => JsonObject
}

/**
 * Returns a page of a list in the format of OpenAI's API. `limit` is 1 to 100, `order` is by position (default `desc`,
 * newest first), and `after` is the last id of the previous page. Only the items of the page, or those up to `after`,
 * are read.
 * @throws GatewayError `invalid_value`.
 */
export function pageOf({ length, itemAt }: ItemList, query: URLSearchParams): JsonObject {
  const limit = limitOf(query.get("limit"))
  const isOldestFirst = isAscending(query.get("order"))
  const itemOn = (place: number): JsonObject => itemAt(isOldestFirst ? place : length - 1 - place)
  const after = query.get("after")
  let start = 0
  if (after !== null) {
    while (start < length && itemOn(start).id !== after) start++
    if (start === length) {
      throw invalidValue(
        "after",
        "'after' is not an item of this response. Use the last id of a page.",
      )
    }
    start++
  }
  const count = Math.min(limit, length - start)
  const data = Array.from({ length: count }, (_, index) => itemOn(start + index))
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < length,
  }
}

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw invalidValue("limit", `'limit' is a whole number from 1 to ${MAX_LIMIT}.`)
}

function isAscending(order: string | null): boolean {
  if (order === "asc") return true
  if (order === null || order === "desc") return false
  throw invalidValue("order", "'order' is 'asc' or 'desc'.")
}
