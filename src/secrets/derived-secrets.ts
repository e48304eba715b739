import { hkdfSync, createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { InstallationSecrets, SecretName } from "./installation-secrets.ts"
import type { SetupToken } from "./setup-token.ts"
import { isSameSecret } from "./same-secret.ts"

const BYTES = 32

/**
 * Derives all secrets of an installation from one root secret that its processes share (HKDF, RFC 5869, with the names
 * of the secrets). Secrets that were copied with a database are not derived.
 */
export class DerivedSecrets implements InstallationSecrets {
  readonly #root: string
  readonly #inherited: ReadonlyMap<string, string>
  readonly setupToken: SetupToken

  /**
   * @param root at least 32 characters that cannot be guessed.
   * @param inherited secrets of the database from which this one was copied, by their names.
   */
  constructor(root: string, inherited: ReadonlyMap<string, string> = new Map()) {
    this.#root = root
    this.#inherited = inherited
    const token = derive(root, "setup-token").toString("base64url")
    this.setupToken = {
      readOrCreate: () => token,
      isRight: (candidate) => isSameSecret(token, candidate),
      // Nothing to do, because the token is not valid after an operator was created.
      remove() {},
    }
  }

  /** A value that is equal in processes with the same root secret, but does not reveal the secret. */
  get fingerprint(): string {
    return derive(this.#root, "fingerprint").toString("hex")
  }

  readOrCreate(name: SecretName): string {
    return this.#inherited.get(name) ?? derive(this.#root, name).toString("hex")
  }

  read(name: SecretName): string {
    return this.readOrCreate(name)
  }
}

function derive(root: string, name: string): Buffer {
  return Buffer.from(hkdfSync("sha256", root, "tollgate", name, BYTES))
}

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
