/** A credential is not used in its last minute: a request takes time to arrive. Milliseconds. */
const MARGIN_MS = 60_000

/** A temporary credential. */
export interface Temporary<Value> {
  readonly value: Value
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** Caches a temporary credential until it expires. Requests that wait for a new one share one fetch. */
export class RenewedCredential<Value> {
  readonly #fetch: () => Promise<Temporary<Value>>
  #current: Temporary<Value> | undefined
  #pending: Promise<Value> | undefined

  /** @param fetch gets a new credential. A failure is not cached. */
  constructor(fetch: () => Promise<Temporary<Value>>) {
    this.#fetch = fetch
  }

  /** A promise only if a new credential is needed. @throws GatewayError if it cannot be fetched. */
  get(): Value | Promise<Value> {
    const current = this.#current
    if (current !== undefined && Date.now() < current.expiresAt - MARGIN_MS) return current.value
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #renew(): Promise<Value> {
    this.#current = await this.#fetch()
    return this.#current.value
  }
}
