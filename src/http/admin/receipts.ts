import { receiptRoutes } from "#contract/receipts.ts"
import type { Requests } from "../../management/requests.ts"
import { openRequestTable } from "../../management/request-table.ts"
import { downloadAnswer } from "./download-answer.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/receipts`: the requests that were made. */
export function receiptEndpoints({ requests }: { readonly requests: Requests }): AdminEndpoint[] {
  return endpoints(receiptRoutes, {
    "GET /receipts": ({ actor, query }) => requests.list(actor, query),
    "GET /receipts.csv": async ({ actor, query }) =>
      downloadAnswer(await openRequestTable(requests, actor, query)),
    "GET /receipts/{request}": ({ actor, path }) => requests.receipt(actor, path("request")),
  })
}
