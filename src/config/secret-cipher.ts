import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"

/** AES-256-GCM. Nonces are random and never reused, and the tag detects any change. */
const CIPHER = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The prefix of each ciphertext, which identifies the encryption. */
const VERSION = "1."

/**
 * Encrypts secrets that are entered in the console, such as providers' credentials, with a key of the installation. The
 * database alone is not sufficient to decrypt them.
 */
export class SecretCipher {
  readonly #secrets: Pick<InstallationSecrets, "read" | "readOrCreate">
  #key: Buffer | undefined

  constructor(secrets: Pick<InstallationSecrets, "read" | "readOrCreate">) {
    this.#secrets = secrets
  }

  /**
   * @param context authenticated with the text; decryption needs the same context.
   * @throws Error if the key is damaged or cannot be written.
   */
  encrypt(context: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#keyToEncrypt(), nonce)
    cipher.setAAD(Buffer.from(context))
    const encrypted = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]
    return VERSION + Buffer.concat(encrypted).toString("base64")
  }

  /** Decrypts a text. Returns undefined if the key is lost or replaced, or if the ciphertext was changed. */
  decrypt(context: string, encrypted: string): string | undefined {
    try {
      const key = this.#existingKey()
      if (key === undefined || !encrypted.startsWith(VERSION)) return undefined
      const bytes = Buffer.from(encrypted.slice(VERSION.length), "base64")
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString("utf8")
    } catch {
      return undefined
    }
  }

  /**
   * Returns the key. It is created when the first secret is encrypted; afterwards a lost key is reported, not replaced.
   */
  #keyToEncrypt(): Buffer {
    this.#key ??= Buffer.from(this.#secrets.readOrCreate("provider-key"), "hex")
    return this.#key
  }

  #existingKey(): Buffer | undefined {
    if (this.#key === undefined && this.#secrets.read("provider-key") === undefined)
      return undefined
    return this.#keyToEncrypt()
  }
}
