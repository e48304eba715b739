import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { ownTurn } from "../../canon/next-turn.ts"
import type { KeptPart } from "../../store/conversations.ts"

const CIPHER = "aes-256-gcm"
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Bytes that are encrypted or decrypted in one turn of the event loop. */
const SLICE_BYTES = 1024 * 1024

/** Encrypts stored conversations with the secret of the installation. Each encrypted part is bound to its own hash. */
export class ConversationCipher {
  readonly #key: Uint8Array

  constructor(secret: string) {
    const purpose = "tollgate kept conversations"
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES))
  }

  /** Encrypts a text in slices, with a turn of the event loop between them. */
  async encrypt(hash: string, text: Uint8Array): Promise<KeptPart> {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce)
    cipher.setAAD(Buffer.from(hash))
    const encrypted = new Uint8Array(NONCE_BYTES + text.byteLength + TAG_BYTES)
    encrypted.set(nonce)
    for (let start = 0; start < text.byteLength; start += SLICE_BYTES) {
      if (start > 0) await ownTurn()
      encrypted.set(cipher.update(text.subarray(start, start + SLICE_BYTES)), NONCE_BYTES + start)
    }
    cipher.final()
    encrypted.set(cipher.getAuthTag(), NONCE_BYTES + text.byteLength)
    return { hash, encrypted }
  }

  /**
   * Decrypts a part in slices, with a turn of the event loop between them.
   * @returns undefined if the part was changed, or encrypted with another secret.
   */
  async decrypt({ hash, encrypted }: KeptPart): Promise<Buffer | undefined> {
    const text = Buffer.alloc(Math.max(0, encrypted.byteLength - NONCE_BYTES - TAG_BYTES))
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, encrypted.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(hash))
      decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
      for (let start = 0; start < text.byteLength; start += SLICE_BYTES) {
        if (start > 0) await ownTurn()
        const end = Math.min(text.byteLength, start + SLICE_BYTES)
        const slice = encrypted.subarray(NONCE_BYTES + start, NONCE_BYTES + end)
        text.set(decipher.update(slice), start)
      }
      decipher.final()
      return text
    } catch {
      return undefined
    }
  }
}
