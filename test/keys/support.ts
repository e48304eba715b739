import type { GatewayError } from "../../src/canon/errors.ts"
import { Keyring } from "../../src/keys/keyring.ts"
import { KeyIssuer } from "../support/key-issuer.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import type { Store } from "../../src/store/store.ts"
import type { TestDatabase } from "../store/test-database.ts"

/** Hashes keys as the gateway does. */
export const hasher = new KeyHasher("pepper".repeat(12))

/** Headers as an object, or as a list in which a name may be repeated. */
export type Pairs = Record<string, string> | [string, string][]

/** Milliseconds. */
export const HOUR = 3_600_000

/** Authenticates a request with these headers. Returns the id of the key, or the kind of the error. */
export function ask(keyring: Keyring, headers: Pairs, now = Date.now()): string {
  try {
    return keyring.authenticate(new Headers(headers), now).id
  } catch (error) {
    return (error as GatewayError).kind
  }
}

/** Returns a header with a key, as most clients send it. */
export function bearer(secret: string): Pairs {
  return { authorization: `Bearer ${secret}` }
}

/** Returns a keyring, and a service that issues keys for it. */
export async function desk(database: TestDatabase, store: Store = database.store) {
  const keyring = new Keyring(store, hasher)
  await keyring.refresh()
  return { keyring, issuer: new KeyIssuer(store, hasher) }
}
