import { randomBytes } from "node:crypto"
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The secrets of this installation; never in the settings, never in the database. */
export interface Secrets {
  /** The key with which callers' keys are hashed. If it is lost, no key works. */
  readonly keyPepper: string
}

/** Reads the secrets of a data directory, creating them at the first start. Readable by their owner only. */
export function loadSecrets(dataDirectory: string): Secrets {
  const directory = join(dataDirectory, "secrets")
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return { keyPepper: readOrCreate(join(directory, "key-pepper")) }
}

/** The same without creating anything; undefined where there are none, as with a copy of the ledger alone. */
export function readSecrets(dataDirectory: string): Secrets | undefined {
  const path = join(dataDirectory, "secrets", "key-pepper")
  return existsSync(path) ? { keyPepper: readFileSync(path, "utf8").trim() } : undefined
}

/** The secret in a file, created when there is none. @throws Error when it is damaged. */
export function readOrCreate(path: string): string {
  if (!existsSync(path)) create(path, randomBytes(32).toString("hex"))
  const secret = readFileSync(path, "utf8").trim()
  if (secret.length < 64) {
    throw new Error(`the secret in ${path} is damaged: restore it from a backup of the data folder`)
  }
  return secret
}

/** Links a complete file into place; if another process was first, its secret counts. */
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
