import { randomText } from "../canon/random-text.ts"

const PREFIX = "sk-tg-"
const RANDOM_LENGTH = 43
const SHAPE = /^sk-tg-[0-9A-Za-z]{43}$/
/** A new key: `sk-tg-` and 43 base62 characters, 256 bits. Shown once, stored nowhere. */
export function newSecret(): string {
  return PREFIX + randomText(RANDOM_LENGTH)
}

/** Whether a credential can be a key of ours at all. */
export function looksLikeKey(credential: string): boolean {
  return SHAPE.test(credential)
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
}
