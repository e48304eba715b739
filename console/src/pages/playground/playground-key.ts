/** A key that the gateway created for this page. */
export interface PlaygroundKey {
  readonly secret: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

export const KEY_LIFETIME_MS = 60 * 60 * 1_000
/** The name of all playground keys. */
export const KEY_NAME = "Playground"
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60 * 1_000

interface KeyFacts {
  readonly name: string
  readonly created_at: string
  readonly expires_at: string | null
}

/** Reports whether the playground probably created a key, judging by the key's name and lifetime. */
export function isPlaygroundKey({ name, created_at: created, expires_at: end }: KeyFacts): boolean {
  if (name !== KEY_NAME || end === null) return false
  return Date.parse(end) - Date.parse(created) <= KEY_LIFETIME_MS + MAX_CLOCK_DIFFERENCE_MS
}

/** Time until every gateway process has loaded a new key. */
const KEY_PROPAGATION_MS = 5_000
/** A key that expires sooner is not used for a new request, because a response may take minutes. */
const MIN_REMAINING_MS = 5 * 60 * 1_000

/**
 * Holds the keys of the session, one for each account. They are kept only in memory, so that secrets are never stored.
 * Concurrent calls share one key.
 */
export class PlaygroundKeys {
  readonly #keys = new Map<string, Promise<PlaygroundKey>>()
  readonly #make: (account: string, expiresAt: number) => Promise<string>
  readonly #now: () => number

  constructor(
    make: (account: string, expiresAt: number) => Promise<string>,
    now: () => number = Date.now,
  ) {
    this.#make = make
    this.#now = now
  }

  /** Returns a secret that stays valid for a few more minutes. */
  async secretFor(account: string): Promise<string> {
    const known = this.#keys.get(account)
    if (known !== undefined) {
      const key = await known
      if (key.expiresAt - this.#now() > MIN_REMAINING_MS) return key.secret
      if (this.#keys.get(account) === known) this.#keys.delete(account)
      return this.secretFor(account)
    }
    const expiresAt = this.#now() + KEY_LIFETIME_MS
    const made = this.#make(account, expiresAt).then((secret) => ({ secret, expiresAt }))
    this.#keys.set(account, made)
    // A failed creation is not cached, so that the next call tries again.
    made.catch(() => this.#keys.get(account) === made && this.#keys.delete(account))
    return (await made).secret
  }

  /** Reports whether the account's key is so new that a gateway process may still reject it. */
  async isNew(account: string): Promise<boolean> {
    const key = await this.#keys.get(account)
    return key !== undefined && key.expiresAt - KEY_LIFETIME_MS > this.#now() - KEY_PROPAGATION_MS
  }

  /** Removes a key that the gateway no longer accepts. */
  forget(account: string): void {
    this.#keys.delete(account)
  }
}
