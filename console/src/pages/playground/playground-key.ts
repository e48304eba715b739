/** A key that the gateway made for this page. */
export interface PlaygroundKey {
  readonly secret: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** How long a key of the playground lives. */
export const KEY_LIFE = 60 * 60 * 1_000
/** What all of them are called. */
export const KEY_NAME = "Playground"
/** By how much the clocks of a browser and a gateway may differ. */
const CLOCK_ERROR = 5 * 60 * 1_000

interface KeyFacts {
  readonly name: string
  readonly created_at: string
  readonly expires_at: string | null
}

/** Whether a key was made by the playground, as far as its name and its life tell. */
export function isPlaygroundKey({ name, created_at: created, expires_at: end }: KeyFacts): boolean {
  if (name !== KEY_NAME || end === null) return false
  return Date.parse(end) - Date.parse(created) <= KEY_LIFE + CLOCK_ERROR
}

/** A key so young may not be known yet to the process that is asked: they tell one another. */
const CHANGES_TIME = 5_000
/** A key that ends sooner than this is not begun with: an answer may take minutes. */
const MIN_LEFT = 5 * 60 * 1_000

/**
 * The session's keys, one for each account, in memory only: a secret is never written anywhere. Two
 * calls at once share one key.
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

  /** A secret that works for this account for a while yet. */
  async secretFor(account: string): Promise<string> {
    const known = this.#keys.get(account)
    if (known !== undefined) {
      const key = await known
      if (key.expiresAt - this.#now() > MIN_LEFT) return key.secret
      if (this.#keys.get(account) === known) this.#keys.delete(account)
      return this.secretFor(account)
    }
    const expiresAt = this.#now() + KEY_LIFE
    const made = this.#make(account, expiresAt).then((secret) => ({ secret, expiresAt }))
    this.#keys.set(account, made)
    // A key that could not be made is not remembered, so that the next call tries again.
    made.catch(() => this.#keys.get(account) === made && this.#keys.delete(account))
    return (await made).secret
  }

  /** Whether the account's key was made so recently that a refusal may be over in a moment. */
  async isNew(account: string): Promise<boolean> {
    const key = await this.#keys.get(account)
    return key !== undefined && key.expiresAt - KEY_LIFE > this.#now() - CHANGES_TIME
  }

  /** Forgets a key that the gateway no longer takes. */
  forget(account: string): void {
    this.#keys.delete(account)
  }
}
