import type { GatewayError } from "../../src/canon/errors.ts"
import { Keyring } from "../../src/keys/keyring.ts"
import { KeyIssuer } from "../support/key-issuer.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import type { Store } from "../../src/store/store.ts"
import type { TestDatabase } from "../store/test-database.ts"

/** Hashes keys as the gateway does. */
export const hasher = new KeyHasher("pepper".repeat(12))

/** Headers, which may repeat a name. */
export type Pairs = Record<string, string> | [string, string][]

/** Milliseconds. */
export const HOUR = 3_600_000

/** The result of authentication with these headers: the key's id, or the kind of refusal. */
export function ask(keyring: Keyring, headers: Pairs, now = Date.now()): string {
  try {
    return keyring.authenticate(new Headers(headers), now).id
  } catch (error) {
    return (error as GatewayError).kind
  }
}

/** A key where most clients send it. */
export function bearer(secret: string): Pairs {
  return { authorization: `Bearer ${secret}` }
}

/** A keyring, and a service that issues its keys. */
export async function desk(database: TestDatabase, store: Store = database.store) {
  const keyring = new Keyring(store, hasher)
  await keyring.refresh()
  return { keyring, issuer: new KeyIssuer(store, hasher) }
}
