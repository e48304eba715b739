import { GatewayError } from "../../canon/errors.ts"
import type { Key } from "../../keys/key.ts"
import type { Keyring } from "../../keys/keyring.ts"
import { plainAddress } from "../../wire/http/networks.ts"
import type { Connection } from "../server.ts"

/**
 * Authenticates a caller by key and address, synchronously if the key is in memory.
 * @throws GatewayError `missing_api_key`, `invalid_api_key`, `address_not_allowed`, `ledger_unavailable`.
 */
export function callerKey(
  keyring: Keyring,
  { headers }: Request,
  connection: Pick<Connection, "address">,
  receivedAt: number,
): Key | Promise<Key> {
  const found = keyring.identify(headers, receivedAt)
  return found instanceof Promise
    ? found.then((key) => fromAllowed(key, connection))
    : fromAllowed(found, connection)
}

/** Checks the caller's address. The address is only looked up if the key restricts addresses. */
function fromAllowed(key: Key, connection: Pick<Connection, "address">): Key {
  if (key.addresses === undefined) return key
  const { address } = connection
  const plain = address === null ? undefined : plainAddress(address)
  if (plain !== undefined && key.addresses.has(plain)) return key
  throw new GatewayError(
    "address_not_allowed",
    `This API key may not be used from ${plain ?? "an unknown address"}. A member of its account can allow it.`,
  )
}
