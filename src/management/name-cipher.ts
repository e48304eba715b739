import { randomBytes } from "node:crypto"
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js"
import { ERASED } from "../accounting/redaction.ts"

const NONCE_BYTES = 24

/** A person, and the person's key in hexadecimal. */
interface KnownPerson {
  readonly person: string
  readonly key: string
}

/** Encrypts a text as `encrypted:<person>:<text>`. */
export function encryptName({ person, key }: KnownPerson, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = xchacha20poly1305(Buffer.from(key, "hex"), nonce, Buffer.from(person))
  const bytes = Buffer.concat([nonce, cipher.encrypt(Buffer.from(text))])
  return `encrypted:${person}:${bytes.toString("base64url")}`
}

/**
 * Decrypts a name.
 * @param keys the keys of people, null for erased people.
 */
export function decryptName(keys: ReadonlyMap<string, string | null>, text: string): string {
  const [, person = "", encoded = ""] = text.split(":")
  const key = keys.get(person) ?? null
  if (key === null) return ERASED
  const bytes = Buffer.from(encoded, "base64url")
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES)
    const cipher = xchacha20poly1305(Buffer.from(key, "hex"), nonce, Buffer.from(person))
    return Buffer.from(cipher.decrypt(bytes.subarray(NONCE_BYTES))).toString("utf8")
  } catch {
    // The text only looks encrypted, because plain text may have the same form.
    return text
  }
}
