import { randomText } from "../canon/random-text.ts"

export const KEY_PREFIX = "sk-tg-"
const RANDOM_LENGTH = 43
const SHAPE = /^sk-tg-[0-9A-Za-z]{43}$/
/** A new key: `sk-tg-` and 43 base62 characters, 256 bits. Shown once, stored nowhere. */
export function newSecret(): string {
  return KEY_PREFIX + randomText(RANDOM_LENGTH)
}

/** Whether a credential can be a key of ours at all. */
export function looksLikeKey(credential: string): boolean {
  return SHAPE.test(credential)
}

/** A key of another gateway that was taken over: no longer than this. */
const LONGEST_FOREIGN = 512

/** The SHA-256 that a key of another gateway may be known by, hexadecimal; undefined for what can be none. */
export function digestOf(credential: string): string | undefined {
  if (credential.length > LONGEST_FOREIGN) return undefined
  return new Bun.CryptoHasher("sha256").update(credential).digest("hex")
}

/** The end of a key, to distinguish keys in a list. */
export function hintOf(secret: string): string {
  return secret.slice(-4)
}

/** Hashes keys under a secret of this installation, so that a stolen database holds no usable key. */
export class KeyHasher {
  /** Initialized with the pepper: copying it is cheaper than creating a new one. */
  readonly #keyed: Bun.CryptoHasher

  constructor(pepper: string) {
    this.#keyed = new Bun.CryptoHasher("sha256", pepper)
  }

  /** HMAC-SHA-256, hexadecimal. */
  hash(secret: string): string {
    return this.#keyed.copy().update(secret).digest("hex")
  }

  /**
   * The hash of a key of which only the SHA-256 is known, hexadecimal: another gateway has made it and kept no more. It is
   * hashed under the secret, since a key that a person has thought of could be found by its SHA-256; and twice, so that the
   * SHA-256 itself is no key.
   */
  hashDigest(digest: string): string {
    return this.hash(this.hash(`sha256:${digest}`))
  }
}
