import { GatewayError } from "../../canon/errors.ts"
import type { Hindrance, Key } from "../../keys/key.ts"

const MESSAGES: Readonly<Record<Hindrance, string>> = {
  key_paused: "This API key is paused. A member of its account can resume it.",
  key_read_only:
    "This API key is read-only. It cannot make paid requests or changes. Use another key.",
  account_paused: "The account of this API key is paused. Ask the operator of this gateway.",
  account_closed: "The account of this API key is closed. Ask the operator of this gateway.",
}

/**
 * Rejects a request whose key cannot be charged.
 * @throws GatewayError whose code is the key's hindrance.
 */
export function rejectHindered({ hindrance, id, account }: Key): void {
  if (hindrance === undefined) return
  throw new GatewayError(hindrance, MESSAGES[hindrance], { sender: { id, account } })
}
