import { GatewayError } from "../../canon/errors.ts"
import { customerReceipt } from "../../relay/billing/customer-receipt.ts"
import { showReceipt } from "../../relay/billing/receipt.ts"
import type { StoreReader } from "../../store/store.ts"
import { jsonResponse } from "../responses.ts"
import type { Route } from "../server.ts"
import type { Calls } from "./calls.ts"

const PREFIX = "/v1/receipts/"

/**
 * `GET /v1/receipts/{request_id}`: returns how a charge was calculated. Receipts of other accounts are reported as
 * missing.
 */
export function getReceipt(calls: Calls, store: Pick<StoreReader, "settlements">): Route {
  return calls.respond(
    "GET /v1/receipts/{id...}",
    async ({ id, request, caller: { key, hidesCosts } }) => {
      const receipt = await store.settlements.findReceipt(
        new URL(request.url).pathname.slice(PREFIX.length),
      )
      if (!receipt || receipt.account !== key.account) {
        throw new GatewayError(
          "not_found",
          "There is no such receipt. Its id is the 'x-request-id' of its response.",
        )
      }
      const shown = showReceipt(receipt)
      return jsonResponse(id, hidesCosts ? customerReceipt(shown) : shown)
    },
  )
}
