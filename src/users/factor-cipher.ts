import { createHash, randomBytes } from "node:crypto"
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js"

/** The prefix of encrypted text, in the format of better-auth, which wrote the oldest values. */
const VERSION = "$ba$1$"
const NONCE_BYTES = 24

/**
 * Encrypts second factors (XChaCha20-Poly1305 with random nonces), so that no codes can be computed from the database
 * alone.
 */
export class FactorCipher {
  readonly #secret: () => string

  /** @param secret returns the secret. It is called for each encryption and decryption. */
  constructor(secret: () => string) {
    this.#secret = secret
  }

  encrypt(text: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const encrypted = xchacha20poly1305(this.#key(), nonce).encrypt(Buffer.from(text))
    return VERSION + Buffer.concat([nonce, encrypted]).toString("hex")
  }

  /**
   * Decrypts a text.
   * @throws Error if it was modified, or encrypted with a different secret.
   */
  decrypt(encrypted: string): string {
    if (!encrypted.startsWith(VERSION)) throw new Error("unknown encryption format")
    const bytes = Buffer.from(encrypted.slice(VERSION.length), "hex")
    const nonce = bytes.subarray(0, NONCE_BYTES)
    const text = xchacha20poly1305(this.#key(), nonce).decrypt(bytes.subarray(NONCE_BYTES))
    return Buffer.from(text).toString("utf8")
  }

  #key(): Buffer {
    return createHash("sha256").update(this.#secret()).digest()
  }
}
