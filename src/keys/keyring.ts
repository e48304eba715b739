import { GatewayError } from "../canon/errors.ts"
import type { KeyRecord } from "../store/records.ts"
import type { Store } from "../store/store.ts"
import { type Key, keyFromRecord } from "./key.ts"
import { type KeyHasher, looksLikeKey } from "./secret.ts"

const BEARER = /^bearer(?: +|$)/i

interface Held {
  readonly key: Key
  /** When this secret stops working; a rotated one does. */
  readonly expiresAt: number | undefined
}

/** All keys, in memory, by the hash of their secrets. */
export class Keyring {
  readonly #store: Store
  readonly #hasher: KeyHasher
  readonly #byHash = new Map<string, Held>()
  readonly #hashesOf = new Map<string, readonly string[]>()
  #revision = -1

  constructor(store: Store, hasher: KeyHasher) {
    this.#store = store
    this.#hasher = hasher
  }

  /** Reads the keys that changed since the last time. Cheap when none did. */
  async refresh(revision?: number): Promise<void> {
    if (revision === this.#revision) return
    const news = await this.#store.keysSince(this.#revision)
    if (news.revision < this.#revision) return
    for (const record of news.keys) this.#hold(record)
    this.#revision = news.revision
  }

  /**
   * The key that a request's credential is.
   * @throws GatewayError `missing_api_key` or `invalid_api_key`.
   */
  authenticate(headers: Headers, now: number): Key {
    const credential = credentialOf(headers)
    if (credential === undefined) {
      throw new GatewayError(
        "missing_api_key",
        "You didn't provide an API key. Send it in the header 'Authorization: Bearer sk-tg-...'.",
        { headers: { "www-authenticate": "Bearer" } },
      )
    }
    const held = looksLikeKey(credential)
      ? this.#byHash.get(this.#hasher.hash(credential))
      : undefined
    if (!held) throw invalidKey("Incorrect API key provided. Keys look like 'sk-tg-...'.")
    const { key, expiresAt } = held
    if (key.revoked) throw invalidKey("This API key was revoked. Ask for a new one.")
    if (key.expiresAt !== undefined && key.expiresAt <= now) {
      throw invalidKey("This API key has expired. Ask for a new one.")
    }
    if (expiresAt !== undefined && expiresAt <= now) {
      throw invalidKey("This API key was rotated and its grace period is over. Use the new one.")
    }
    return key
  }

  #hold(record: KeyRecord): void {
    for (const hash of this.#hashesOf.get(record.id) ?? []) this.#byHash.delete(hash)
    const key = keyFromRecord(record)
    for (const { hash, expiresAt } of record.secrets) {
      this.#byHash.set(hash, { key, expiresAt: expiresAt ?? undefined })
    }
    this.#hashesOf.set(
      record.id,
      record.secrets.map((secret) => secret.hash),
    )
  }
}

function invalidKey(message: string): GatewayError {
  return new GatewayError("invalid_api_key", message, {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  })
}

/**
 * `Authorization: Bearer` counts first; Anthropic's SDK sends `x-api-key`. A header that is sent twice
 * arrives as one, joined by a comma, which no key contains. An empty credential is none.
 */
function credentialOf(headers: Headers): string | undefined {
  const authorization = headers.get("authorization")?.replace(BEARER, "")
  return authorization || headers.get("x-api-key")?.trim() || undefined
}
