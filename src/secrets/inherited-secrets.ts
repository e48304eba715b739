import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type { SecretName } from "./installation-secrets.ts"

/** AES-256-GCM with random nonces. */
const CIPHER = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a secret of another database with the root secret of the database into which it was copied. */
export function encryptInherited(root: string, name: SecretName, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(root), nonce)
  cipher.setAAD(Buffer.from(name))
  const parts = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(parts).toString("base64")
}

/**
 * Decrypts an inherited secret.
 * @throws Error if it was changed, or belongs to another root or name.
 */
export function decryptInherited(root: string, name: SecretName, encrypted: string): string {
  const bytes = Buffer.from(encrypted, "base64")
  const decipher = createDecipheriv(CIPHER, keyOf(root), bytes.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(name))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString("utf8")
}

function keyOf(root: string): Buffer {
  return Buffer.from(hkdfSync("sha256", root, "tollgate", "inherited", 32))
}
