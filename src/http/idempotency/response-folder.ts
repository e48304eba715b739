import { hkdfSync } from "node:crypto"
import { mkdirSync } from "node:fs"
import { mkdir, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { KeptFiles } from "../../store/kept-files.ts"
import { ResponseFile, type ResponseHead, KEY_BYTES } from "./response-file.ts"
import { StoredResponse } from "./stored-response.ts"

/** Lifetime of a stored response, which is one hour longer than the lifetime of its claim. */
const LIFETIME_MS = 25 * 3_600_000

/**
 * Stores each response in a file, encrypted with a key derived from the installation's secret and the request id. Files
 * are in a local folder while they are recorded, and afterwards in the store that all nodes share.
 */
export class ResponseFolder {
  readonly #folder: string
  readonly #secret: string
  readonly #files: KeptFiles

  constructor(folder: string, secret: string, files: KeptFiles) {
    this.#folder = folder
    this.#secret = secret
    this.#files = files
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  async create(request: string, head: ResponseHead): Promise<ResponseFile> {
    // A cleanup may have deleted the folder.
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const handle = await open(this.#path(request), "wx+", 0o600)
    const file = new ResponseFile(handle, this.#keyOf(request))
    file.appendHead(head)
    return file
  }

  /** Publishes a finished response to all nodes. */
  async keep(request: string): Promise<void> {
    await this.#files.adopt(request, this.#path(request), LIFETIME_MS)
  }

  /** Opens a finished response; undefined if it is missing or damaged. */
  async open(request: string): Promise<StoredResponse | undefined> {
    const file = await this.#files.open(request)
    if (!file) return undefined
    try {
      const stored = await StoredResponse.read(file, this.#keyOf(request))
      if (stored) return stored
    } catch {
      // The response is damaged, or encrypted with a different secret.
    }
    await file[Symbol.asyncDispose]()
    return undefined
  }

  async remove(request: string): Promise<void> {
    await rm(this.#path(request), { force: true })
    await this.#files.remove(request)
  }

  /**
   * Removes expired files, and abandoned files of this machine.
   * @param before abandoned files were last changed before this time, in Unix milliseconds.
   */
  async sweep(before: number): Promise<void> {
    await this.#files.sweep()
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const changed = await stat(path).catch(() => undefined)
      if (changed && changed.mtimeMs < before) await rm(path, { force: true })
    }
  }

  #path(request: string): string {
    return join(this.#folder, request)
  }

  #keyOf(request: string): Uint8Array {
    const purpose = `tollgate kept answer ${request}`
    return new Uint8Array(hkdfSync("sha256", this.#secret, "", purpose, KEY_BYTES))
  }
}
