import { receipt, requestPage, requestQuery } from "tollgate-contract/receipts.ts"
import type { Requests } from "../../management/requests.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/receipts`: the requests that were made. */
export function receiptEndpoints({ requests }: { readonly requests: Requests }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/receipts",
      summary: "The requests of an account, or of all that you may see, the newest first",
      least: "session",
      query: requestQuery,
      answer: requestPage,
      handle: ({ actor, query }) => requests.list(actor, query),
    }),
    endpoint({
      method: "GET",
      path: "/receipts/{request}",
      summary: "One request's receipt: its attempts, usage, price and charge",
      least: "viewer",
      answer: receipt,
      handle: ({ actor, path }) => requests.receipt(actor, path.request),
    }),
  ]
}
