import { createHash, hkdfSync, timingSafeEqual } from "node:crypto"
import type { InstallationSecrets, SecretName } from "./installation-secrets.ts"
import type { SetupToken } from "./setup-token.ts"

const BYTES = 32

/**
 * All secrets of an installation from one that its processes share (HKDF, RFC 5869, with the names of the secrets),
 * but for those that came with a database that was copied.
 */
export class DerivedSecrets implements InstallationSecrets {
  readonly #root: string
  readonly #inherited: ReadonlyMap<string, string>
  readonly setupToken: SetupToken

  /**
   * @param root at least 32 unguessable characters.
   * @param inherited secrets of the database that this one was copied from, by their names.
   */
  constructor(root: string, inherited: ReadonlyMap<string, string> = new Map()) {
    this.#root = root
    this.#inherited = inherited
    const token = derive(root, "setup-token").toString("base64url")
    this.setupToken = {
      readOrCreate: () => token,
      isRight: (candidate) => timingSafeEqual(digest(token), digest(candidate)),
      // It is worth nothing as soon as there is an operator.
      remove() {},
    }
  }

  /** Shows that two processes have the same secret, and nothing of it. */
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

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
