import { randomBytes } from "node:crypto"
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isSameSecret } from "./same-secret.ts"

/** The token of the link for creating the first operator. It is the same in all processes. */
export interface SetupToken {
  /** Returns the token, and creates it if it does not exist. */
  readOrCreate(): string
  /** Compares the token in constant time. */
  isRight(candidate: string): boolean
  /** Removes the token, so that the link no longer works. */
  remove(): void
}

/** The token in a file. */
export class SetupTokenFile implements SetupToken {
  readonly #path: string

  /** @param directory the folder of the secrets. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#path = join(directory, "setup-token")
  }

  readOrCreate(): string {
    for (;;) {
      const token = this.#read()
      if (token !== undefined) return token
      this.#create()
    }
  }

  isRight(candidate: string): boolean {
    const token = this.#read()
    return token !== undefined && isSameSecret(token, candidate)
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }

  #read(): string | undefined {
    try {
      const token = readFileSync(this.#path, "utf8").trim()
      return token.length >= 32 ? token : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  }

  /** Creates a complete file atomically. If another process was faster, its token is used. */
  #create(): void {
    const draft = `${this.#path}.${process.pid}`
    writeFileSync(draft, randomBytes(32).toString("base64url"), { mode: 0o600 })
    try {
      // A damaged file is removed, because no token could ever be created in its place.
      if (existsSync(this.#path) && this.#read() === undefined) this.remove()
      linkSync(draft, this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
}
