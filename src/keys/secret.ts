import { randomText } from "../canon/random-text.ts"

export const KEY_PREFIX = "sk-tg-"
const RANDOM_LENGTH = 43
const SHAPE = /^sk-tg-[0-9A-Za-z]{43}$/
/** Creates a key of `sk-tg-` and 43 base62 characters, which contain 256 bits. It is shown once and never stored. */
export function newSecret(): string {
  return KEY_PREFIX + randomText(RANDOM_LENGTH)
}

/** Whether a credential has the form of this gateway's keys. */
export function looksLikeKey(credential: string): boolean {
  return SHAPE.test(credential)
}

const MAX_IMPORTED_LENGTH = 512
/** Imported keys begin with `sk-`. Shells and settings files do not interpret the other characters. */
const IMPORTED_SHAPE = /^sk-(?!tg-)[\w.~+/=-]+$/

/** Whether a text has the form of a key that can work at this gateway: its own or an imported one. */
export function canBeKey(text: string): boolean {
  return looksLikeKey(text) || (text.length <= MAX_IMPORTED_LENGTH && IMPORTED_SHAPE.test(text))
}

/**
 * Returns the hexadecimal SHA-256 under which a key of another gateway may be stored; undefined if
 * the credential is too long.
 */
export function digestOf(credential: string): string | undefined {
  if (credential.length > MAX_IMPORTED_LENGTH) return undefined
  return new Bun.CryptoHasher("sha256").update(credential).digest("hex")
}

/** Returns the last characters of a key, by which people distinguish keys in a list. */
export function hintOf(secret: string): string {
  return secret.slice(-4)
}

/**
 * Hashes keys with a secret of this installation, so that a stolen database contains no usable key.
 */
export class KeyHasher {
  /** A hasher with the pepper. Copying a hasher is faster than creating one. */
  readonly #keyed: Bun.CryptoHasher

  constructor(pepper: string) {
    this.#keyed = new Bun.CryptoHasher("sha256", pepper)
  }

  /** Returns the HMAC-SHA-256 of a key, in hexadecimal. */
  hash(secret: string): string {
    return this.#keyed.copy().update(secret).digest("hex")
  }

  /**
   * Returns the hexadecimal hash of a key from its SHA-256, for keys of gateways that stored nothing else. The
   * installation's secret is included, because a key that a person chose could be guessed from its SHA-256 alone. The
   * result is hashed twice, so that the SHA-256 itself is not accepted as a key.
   */
  hashDigest(digest: string): string {
    return this.hash(this.hash(`sha256:${digest}`))
  }
}
