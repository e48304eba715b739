import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type { KeptPart } from "../../store/conversations.ts"

const CIPHER = "aes-256-gcm"
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts what is stored of conversations with the installation's secret, each part bound to its own hash. */
export class ConversationCipher {
  readonly #key: Uint8Array

  constructor(secret: string) {
    const purpose = "tollgate kept conversations"
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES))
  }

  encrypt(hash: string, text: string): KeptPart {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce)
    cipher.setAAD(Buffer.from(hash))
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]
    return { hash, sealed: new Uint8Array(Buffer.concat(sealed)) }
  }

  /** Undefined where it was changed, or encrypted with another secret. */
  open({ hash, sealed }: KeptPart): Buffer | undefined {
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(hash))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()])
    } catch {
      return undefined
    }
  }
}
