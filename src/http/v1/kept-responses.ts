import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { Key } from "../../keys/key.ts"
import type { KeptResponse } from "../../relay/state/conversations.ts"
import { deleteResponse, type ResponseStores } from "../../relay/chat/delete-response.ts"
import { rejectHindered } from "../../relay/pipeline/reject-hindered.ts"
import { jsonResponse } from "../responses.ts"
import { partsOf } from "../path-pattern.ts"
import type { Route } from "../server.ts"
import type { Calls } from "./calls.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import { CONVERSATION } from "../../dialects/openai-responses/state.ts"

/** The base path of stored responses. */
const KEPT_RESPONSES_PATH = "/v1/responses/"
const INPUT_ITEMS = "/input_items"

/**
 * `GET /v1/responses/{id}`: returns a stored response in its original form. `GET /v1/responses/{id}/input_items`:
 * returns its input in pages (openai 7.55, `InputItemListParams`).
 */
export function getKeptResponse(calls: Calls, stores: ResponseStores): Route {
  return calls.respond(
    "GET /v1/responses/{id...}",
    async ({ request, caller: { key, memory } }) => {
      const url = new URL(request.url)
      const name = nameIn(url)
      const isOfItems = name.endsWith(INPUT_ITEMS)
      const response = isOfItems ? name.slice(0, -INPUT_ITEMS.length) : name
      const kept = await stores.conversations.find(key.account, response, memory)
      if (!kept) throw notKept()
      const json = isOfItems
        ? pageOf(itemsOf(stores, key, response, kept), url.searchParams)
        : kept.body
      const body = isLargeJson(json) ? await jsonBytesInSlices(json) : JSON.stringify(json)
      return { headers: { "content-type": "application/json" }, body }
    },
  )
}

/**
 * `DELETE /v1/responses/{id}`: deletes a response and its items, also at its vendor. Responses that continue the
 * deleted one remain.
 */
export function deleteKeptResponse(calls: Calls, stores: ResponseStores): Route {
  return calls.respond(
    "DELETE /v1/responses/{id...}",
    async ({ id, request, caller: { key, memory } }) => {
      if (key.hindrance === "key_read_only") rejectHindered(key)
      const name = nameIn(new URL(request.url))
      if (!(await deleteResponse(stores, { account: key.account, id: name, memory }))) {
        throw notKept()
      }
      return jsonResponse(id, { id: name, object: "response", deleted: true })
    },
  )
}

/** `POST /v1/responses/{id}/cancel`: rejects the request, because only background responses can be cancelled. */
export function cancelKeptResponse(calls: Calls, { conversations }: ResponseStores): Route {
  return calls.respond("POST /v1/responses/{id}/cancel", async ({ path, request, caller }) => {
    const name = partsOf(path, new URL(request.url).pathname)("id")
    if (!(await conversations.has(caller.key.account, name))) throw notKept()
    throw new GatewayError(
      "invalid_value",
      "This response is complete and cannot be cancelled. The gateway does not run responses in the background. To cancel a running response, close its connection.",
    )
  })
}

function itemsOf(
  { conversations }: ResponseStores,
  key: Key,
  response: string,
  { before }: KeptResponse,
): ItemList {
  if (before === null) {
    throw new GatewayError(
      "not_found",
      "The input of this response is stored only at its vendor: it refers to a conversation or a prompt there.",
    )
  }
  const itemAt = (index: number): JsonObject =>
    CONVERSATION.listed(before[index] ?? null, () =>
      conversations.mark(key.account, response, index),
    )
  return { length: before.length, itemAt }
}

function nameIn({ pathname }: URL): string {
  return pathname.slice(KEPT_RESPONSES_PATH.length)
}

/**
 * Builds the error for a missing response. Responses of other accounts cause the same error, so that their existence is
 * not revealed.
 */
function notKept(): GatewayError {
  return new GatewayError(
    "not_found",
    "There is no such response. The gateway stores responses for the time set in 'responses.keep', unless the request has 'store: false'.",
  )
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** A list of items with ids, the oldest item first. */
interface ItemList {
  readonly length: number
  readonly itemAt: (index: number) => JsonObject
}

/**
 * Returns a page of a list in the format of OpenAI's API. `limit` is 1 to 100, `order` is by position (default `desc`,
 * newest first), and `after` is the last id of the previous page. Only the items of the page, or those up to `after`,
 * are read.
 * @throws GatewayError `invalid_value`.
 */
function pageOf({ length, itemAt }: ItemList, query: URLSearchParams): JsonObject {
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
