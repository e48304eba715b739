import { receiptRoutes } from "tollgate-contract/receipts.ts"
import type { Requests } from "../../management/requests.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/receipts`: the requests that were made. */
export function receiptEndpoints({ requests }: { readonly requests: Requests }): AdminEndpoint[] {
  return endpoints(receiptRoutes, {
    "GET /receipts": ({ actor, query }) => requests.list(actor, query),
    "GET /receipts/{request}": ({ actor, path }) => requests.receipt(actor, path("request")),
  })
}
