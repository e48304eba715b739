import { randomBytes } from "node:crypto"
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { InstallationSecrets, SecretName } from "./installation-secrets.ts"
import { SetupTokenFile } from "./setup-token.ts"

/** Writes a secret that was created elsewhere. A secret of this name must not exist yet. */
export function writeSecret(dataDirectory: string, name: SecretName, secret: string): void {
  const directory = join(dataDirectory, "secrets")
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, name), secret, { mode: 0o600, flag: "wx" })
}

/**
 * Reads a secret from a folder of secrets; undefined if it does not exist.
 * @throws Error if the secret is damaged.
 */
export function readSecret(directory: string, name: SecretName): string | undefined {
  const path = join(directory, name)
  return existsSync(path) ? readWhole(path) : undefined
}

/** Secrets in files of a data folder that only the owner can read. */
export class SecretFolder implements InstallationSecrets {
  readonly #directory: string

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, "secrets")
  }

  readOrCreate(name: SecretName): string {
    const path = join(this.#directory, name)
    if (!existsSync(path)) {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      create(path, randomBytes(32).toString("hex"))
    }
    return readWhole(path)
  }

  read(name: SecretName): string | undefined {
    return readSecret(this.#directory, name)
  }

  get setupToken(): SetupTokenFile {
    return new SetupTokenFile(this.#directory)
  }
}

/** Reads a secret. Reading a pipe or a device could take forever, so it is rejected. */
function readWhole(path: string): string {
  if (!statSync(path).isFile()) throw new Error(`the secret in ${path} is not a file`)
  const secret = readFileSync(path, "utf8").trim()
  if (secret.length < 64) {
    throw new Error(`the secret in ${path} is damaged: restore it from a backup of the data folder`)
  }
  return secret
}

/** Creates a complete file atomically. If another process was faster, its secret is used. */
function create(path: string, secret: string): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, secret, { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    unlinkSync(draft)
  }
}
