import { createHmac, randomBytes } from "node:crypto"

/** If a prompt contains this word, the thinking in the response is redacted. */
export const REDACTION_WORD = "REDACT"

const MAC_BYTES = 32
const NONCE_BYTES = 8

/**
 * Signs and wraps thinking as one vendor does. A changed text, or a text of another vendor, is rejected. Wrapped text
 * is not encrypted, because only tests read it.
 */
export class Signer {
  readonly #secret: string

  constructor(vendor: string) {
    this.#secret = `simulated ${vendor}`
  }

  /** Returns the signature of a text, in base64. */
  sign(text: string): string {
    return this.#mac(text).toString("base64")
  }

  /** Whether this signer has signed exactly this text. */
  verifies(text: string, signature: string): boolean {
    return signature === this.sign(text)
  }

  /** Wraps a text in an envelope that only this signer can open. The result is base64 and differs for each call. */
  wrap(text: string): string {
    const content = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.from(text)])
    return Buffer.concat([this.#mac(content), content]).toString("base64")
  }

  /** Whether an envelope was created by this signer and is unchanged. */
  opens(envelope: string): boolean {
    const bytes = Buffer.from(envelope, "base64")
    // Decoding ignores invalid characters, so a modified envelope may decode to the same bytes. Encoding them again
    // reveals the change.
    if (bytes.toString("base64") !== envelope || bytes.length < MAC_BYTES + NONCE_BYTES)
      return false
    return this.#mac(bytes.subarray(MAC_BYTES)).equals(bytes.subarray(0, MAC_BYTES))
  }

  #mac(content: string | Buffer): Buffer {
    return createHmac("sha256", this.#secret).update(content).digest()
  }
}
