import { createHmac, randomBytes } from "node:crypto"

/** The word in a prompt's text that makes an answer's thinking come back redacted. */
export const REDACTION_WORD = "REDACT"

const MAC_BYTES = 32
const NONCE_BYTES = 8

/**
 * Signs and wraps thinking as one vendor does, so that a changed text, or one of another vendor, is rejected.
 * Wrapped text is not encrypted: only tests read it.
 */
export class Signer {
  readonly #secret: string

  constructor(vendor: string) {
    this.#secret = `simulated ${vendor}`
  }

  /** The signature of a text, in base64. */
  sign(text: string): string {
    return this.#mac(text).toString("base64")
  }

  /** True when this signer has signed exactly this text. */
  verifies(text: string, signature: string): boolean {
    return signature === this.sign(text)
  }

  /** The text in an envelope that only this signer opens, in base64; never the same twice. */
  wrap(text: string): string {
    const content = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.from(text)])
    return Buffer.concat([this.#mac(content), content]).toString("base64")
  }

  /** True for an unchanged envelope of this signer. */
  opens(envelope: string): boolean {
    const bytes = Buffer.from(envelope, "base64")
    // Decoding forgives stray letters: an envelope that was touched has another text than its own.
    if (bytes.toString("base64") !== envelope || bytes.length < MAC_BYTES + NONCE_BYTES)
      return false
    return this.#mac(bytes.subarray(MAC_BYTES)).equals(bytes.subarray(0, MAC_BYTES))
  }

  #mac(content: string | Buffer): Buffer {
    return createHmac("sha256", this.#secret).update(content).digest()
  }
}
