/**
 * A credential is renewed when its remaining lifetime is shorter than this. Requests use it until the renewal
 * completes.
 */
const RENEWAL_MS = 3 * 60_000
/**
 * A credential is not used when its remaining lifetime is shorter than this, because a request takes time to arrive.
 */
const MARGIN_MS = 15_000
/** Minimum time between renewals while the credential can still be used. */
const PAUSE_MS = 5_000
/**
 * Maximum lifetime of a credential. No service issues credentials for longer, and a wrong lifetime would keep a
 * credential forever.
 */
const MAX_LIFETIME_MS = 12 * 3_600_000

/** A temporary credential. */
export interface Temporary<Value> {
  readonly value: Value
  /** Expiry time in Unix milliseconds. */
  readonly expiresAt: number
}

/**
 * Caches a temporary credential, and renews it before it expires. Requests that wait for a new credential share one
 * fetch.
 */
export class RenewedCredential<Value> {
  readonly #fetch: () => Promise<Temporary<Value>>
  #current: Temporary<Value> | undefined
  #pending: Promise<Value> | undefined
  #nextRenewal = 0

  /** @param fetch requests a new credential. A failure is not cached. */
  constructor(fetch: () => Promise<Temporary<Value>>) {
    this.#fetch = fetch
  }

  /**
   * Returns the credential. The result is a promise only if no credential can be used yet.
   * @throws GatewayError if the credential cannot be fetched.
   */
  get(): Value | Promise<Value> {
    const current = this.#current
    const now = Date.now()
    if (current === undefined || now >= current.expiresAt - MARGIN_MS) return this.#renewed()
    // Requests do not wait for the renewal of a credential that can still be used. A slow or failed renewal therefore
    // stops no requests.
    if (now >= current.expiresAt - RENEWAL_MS && now >= this.#nextRenewal) {
      this.#renewed().catch(() => {})
    }
    return current.value
  }

  #renewed(): Promise<Value> {
    this.#pending ??= this.#renew().finally(() => {
      this.#nextRenewal = Date.now() + PAUSE_MS
      this.#pending = undefined
    })
    return this.#pending
  }

  async #renew(): Promise<Value> {
    const { value, expiresAt } = await this.#fetch()
    this.#current = { value, expiresAt: Math.min(expiresAt, Date.now() + MAX_LIFETIME_MS) }
    return value
  }
}
