import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { FileKind, KeptFile, KeptFiles } from "../kept-files.ts"

/** Lifetime of responses: a day, and an additional hour because the ledger must forget them first. */
export const RESPONSE_LIFETIME_MS = 25 * 3_600_000
/** Matches the expiry time in Unix milliseconds at the start of an image's name. */
export const EXPIRY = /^(\d{13})-/
/** Matches the name of an incomplete file. */
export const PART = /\.part$/
/** Error codes for a missing file. ENOTDIR means that the folder itself is a file. */
const NOT_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"])

/** Stores files in a folder next to the ledger, which all processes of this machine share. */
export class FolderFiles implements KeptFiles {
  readonly #kind: FileKind
  readonly #folder: string

  /** @param databasePath the path of the ledger. */
  constructor(databasePath: string, kind: FileKind) {
    this.#kind = kind
    this.#folder = join(dirname(databasePath), kind)
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const part = `${this.#path(name)}.${crypto.randomUUID()}.part`
    await Bun.write(part, bytes, { mode: 0o600 })
    await rename(part, this.#path(name))
  }

  async adopt(name: string, path: string): Promise<void> {
    if (path !== this.#path(name)) await rename(path, this.#path(name))
  }

  async open(name: string): Promise<KeptFile | undefined> {
    const path = this.#path(name)
    try {
      const found = await stat(path)
      return found.isFile() ? new FolderFile(path, found.size) : undefined
    } catch (error) {
      if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return undefined
      throw error
    }
  }

  /** Deletes a file, unless another process has already deleted it. */
  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true })
  }

  async sweep(): Promise<void> {
    for (const name of await this.#names()) if (await this.#isOver(name)) await this.remove(name)
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
      throw error
    }
  }

  async #isOver(name: string): Promise<boolean> {
    if (this.#kind === "images") {
      const [, expires] = EXPIRY.exec(name) ?? []
      return expires !== undefined && Number(expires) <= Date.now()
    }
    const found = await stat(this.#path(name)).catch(() => undefined)
    return found !== undefined && found.mtimeMs < Date.now() - RESPONSE_LIFETIME_MS
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }
}

class FolderFile implements KeptFile {
  readonly size: number
  readonly #path: string
  #handle: FileHandle | undefined

  constructor(path: string, size: number) {
    this.#path = path
    this.size = size
  }

  async read(start: number, length: number): Promise<Uint8Array> {
    this.#handle ??= await open(this.#path, "r")
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, start)
    return buffer.subarray(0, bytesRead)
  }

  body(): Blob {
    return Bun.file(this.#path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close()
  }
}
