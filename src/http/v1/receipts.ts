import { GatewayError } from "../../canon/errors.ts"
import type { Keyring } from "../../keys/keyring.ts"
import { showReceipt } from "../../relay/billing/receipt.ts"
import type { Store } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import { jsonAnswer } from "../answers.ts"
import { authenticated } from "../authenticated.ts"

export interface ReceiptServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly store: Store
}

const PREFIX = "/v1/receipts/"

/** `GET /v1/receipts/{request_id}`: how one charge came about. Other accounts' receipts do not exist. */
export function getReceipt(services: ReceiptServices) {
  return authenticated(services, async ({ key, id, url }) => {
    const receipt = await services.store.findReceipt(url.pathname.slice(PREFIX.length))
    if (!receipt || receipt.account !== key.account) {
      throw new GatewayError(
        "not_found",
        "There is no such receipt. Its id is the 'x-request-id' of the answer it belongs to.",
      )
    }
    return jsonAnswer(id, showReceipt(receipt))
  })
}
