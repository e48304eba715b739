import type { KeyRecord } from "../store/keys.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Store } from "../store/store.ts"
import type { Signal } from "../machine/machine.ts"
import { type Key, keyFromRecord } from "./key.ts"
import { KeyOrigins } from "./key-origins.ts"
import { digestOf, KEY_PREFIX, type KeyHasher, looksLikeKey } from "./secret.ts"

/**
 * The headers in which official clients send a key that is not a bearer token. The first header that is present is
 * used.
 */
const KEY_HEADERS = ["x-api-key", "api-key", "x-goog-api-key"] as const

const BEARER = /^bearer(?: +|$)/i

interface Held {
  readonly key: Key
  /** When this secret expires; set for rotated secrets. */
  readonly expiresAt: number | undefined
}

/** Minimum interval between reads of the ledger for unknown keys. */
const MIN_READ_INTERVAL_MS = 20

/** All keys, in memory, by the hash of their secrets. */
export class Keyring {
  readonly #store: Store
  readonly #hasher: KeyHasher
  /** Raised after a key has changed and before the change is confirmed. */
  readonly #changes: Signal | undefined
  #changesSeen = 0
  /** A read of the ledger that has not started yet. All waiting requests share this read. */
  #nextReading: Promise<void> | undefined
  #lastReading: Promise<void> = Promise.resolve()
  #readAt = -Infinity
  readonly #byHash = new Map<string, Held>()
  readonly #hashesOf = new Map<string, readonly string[]>()
  readonly #origins = new KeyOrigins()
  #revision = -1

  /** @param changes shared by all processes that serve from the same ledger, if there are any. */
  constructor(store: Store, hasher: KeyHasher, changes?: Signal) {
    this.#store = store
    this.#hasher = hasher
    this.#changes = changes
  }

  /** Reads the keys that have changed since the last read. Fast if no key has changed. */
  async refresh(revision?: number): Promise<void> {
    if (revision === this.#revision) return
    const changes = this.#changes?.count ?? 0
    const changed = await this.#store.keys.listChanged(this.#revision)
    if (changed.revision < this.#revision) return
    for (const record of changed.keys) this.#hold(record)
    this.#revision = changed.revision
    this.#changesSeen = changes
  }

  /**
   * Must be called after a key was changed. This process applies the change immediately, and other processes apply it
   * before their next request.
   */
  async changed(): Promise<void> {
    this.#changes?.raise()
    await this.refresh()
  }

  /**
   * Returns the key of a request's credential, synchronously if the key is known. An unknown key may be new, and
   * another process may have changed a known key. In both cases the ledger is read first.
   * @throws GatewayError `missing_api_key`, `invalid_api_key` or `ledger_unavailable`, synchronously or by the promise.
   */
  identify(headers: Headers, now: number): Key | Promise<Key> {
    const credential = credentialOf(headers)
    if (credential === undefined) return this.authenticate(headers, now)
    const held = this.#isCurrent ? this.#find(credential) : undefined
    if (held) return usable(held, now)
    // If an unknown text does not look like a key of this gateway, the ledger is not read. Imported keys may have any
    // other form, so the text is still looked up in memory.
    if (this.#isCurrent && !looksLikeKey(credential)) return this.authenticate(headers, now)
    return this.#reread().then(() => this.authenticate(headers, now))
  }

  /** The origins that the keys loaded in this process allow. */
  get origins(): KeyOrigins {
    return this.#origins
  }

  /** Returns the allowed origins, including changes by other processes. Synchronous if there are no changes. */
  latestOrigins(): KeyOrigins | Promise<KeyOrigins> {
    if (this.#isCurrent) return this.#origins
    const known = (): KeyOrigins => this.#origins
    return this.#reread().then(known, known)
  }

  /** Returns the key of a request's credential as loaded in this process, even if the key no longer works. */
  known(headers: Headers): Key | undefined {
    const credential = credentialOf(headers)
    return credential === undefined ? undefined : this.#find(credential)?.key
  }

  /**
   * Returns the key of a request's credential, as loaded in this process.
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
    const held = this.#find(credential)
    if (!held) throw invalidKey("Incorrect API key provided. Keys look like 'sk-tg-...'.")
    return usable(held, now)
  }

  /** Finds a key by its hash. Keys imported from other gateways may be stored by their SHA-256 alone. */
  #find(credential: string): Held | undefined {
    const held = this.#byHash.get(this.#hasher.hash(credential))
    if (held || looksLikeKey(credential)) return held
    const digest = digestOf(credential)
    return digest === undefined ? undefined : this.#byHash.get(this.#hasher.hashDigest(digest))
  }

  get #isCurrent(): boolean {
    return this.#changes === undefined || this.#changes.count === this.#changesSeen
  }

  #reread(): Promise<void> {
    this.#nextReading ??= this.#read()
    return this.#nextReading
  }

  /** Reads the changes from the ledger. Callers that arrive before the read starts share it. */
  async #read(): Promise<void> {
    await this.#lastReading
    const pause = this.#readAt + MIN_READ_INTERVAL_MS - performance.now()
    if (pause > 0) await Bun.sleep(pause)
    this.#nextReading = undefined
    this.#readAt = performance.now()
    const reading = this.refresh()
    this.#lastReading = reading.catch(() => {})
    try {
      await reading
    } catch (cause) {
      throw new GatewayError(
        "ledger_unavailable",
        "The gateway cannot read its ledger now, so it cannot check this API key. Try again shortly.",
        { cause },
      )
    }
  }

  #hold(record: KeyRecord): void {
    for (const hash of this.#hashesOf.get(record.id) ?? []) this.#byHash.delete(hash)
    const key = keyFromRecord(record)
    this.#origins.set(key.id, key.revoked ? [] : key.origins)
    for (const { hash, expiresAt } of record.secrets) {
      this.#byHash.set(hash, { key, expiresAt: expiresAt ?? undefined })
    }
    this.#hashesOf.set(
      record.id,
      record.secrets.map((secret) => secret.hash),
    )
  }
}

/**
 * Returns a key that works.
 * @throws GatewayError `invalid_api_key` if the key no longer works.
 */
function usable({ key, expiresAt }: Held, now: number): Key {
  if (key.revoked) throw invalidKey("This API key was revoked. Ask for a new one.")
  if (key.expiresAt !== undefined && key.expiresAt <= now) {
    throw invalidKey("This API key has expired. Ask for a new one.")
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw invalidKey("This API key was rotated and its grace period is over. Use the new one.")
  }
  return key
}

function invalidKey(message: string): GatewayError {
  return new GatewayError("invalid_api_key", message, {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  })
}

/**
 * Returns the credential of a request. Empty credentials are ignored. `Authorization: Bearer` takes precedence.
 * Anthropic's SDK sends `x-api-key`, Azure's `api-key`, and Google's `x-goog-api-key`. A key of this gateway takes
 * precedence over another credential, because some clients send both if their user is signed in to a vendor. A header
 * that is sent twice arrives joined by a comma, which no key contains.
 */
function credentialOf(headers: Headers): string | undefined {
  let credential = headers.get("authorization")?.replace(BEARER, "")
  if (credential?.startsWith(KEY_PREFIX) === true) return credential
  for (const name of KEY_HEADERS) {
    const key = headers.get(name)?.trim()
    if (key?.startsWith(KEY_PREFIX) === true) return key
    if (!credential) credential = key
  }
  return credential === "" ? undefined : credential
}
