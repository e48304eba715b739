import { hkdfSync } from "node:crypto"
import { mkdirSync } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { AnswerFile, type AnswerHead, KEY_BYTES } from "./answer-file.ts"
import { StoredAnswer } from "./stored-answer.ts"

/**
 * Where answers are kept, each in a file of its own, encrypted with a key of its own that is derived from the
 * installation's secret and the request's id.
 */
export class AnswerFolder {
  readonly #folder: string
  readonly #secret: string

  constructor(folder: string, secret: string) {
    this.#folder = folder
    this.#secret = secret
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  async create(request: string, head: AnswerHead): Promise<AnswerFile> {
    // Someone may have cleaned up.
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const handle = await open(this.#path(request), "wx+", 0o600)
    const file = new AnswerFile(handle, this.#keyOf(request))
    file.appendHead(head)
    return file
  }

  /** An answer that is on disk as it ended; undefined when there is none, or it was damaged. */
  async open(request: string): Promise<StoredAnswer | undefined> {
    const handle = await openToRead(this.#path(request))
    if (!handle) return undefined
    const file = new AnswerFile(handle, this.#keyOf(request))
    try {
      const stored = await StoredAnswer.read(file)
      if (stored) return stored
    } catch {
      // Damaged, or written under another secret.
    }
    await file.close()
    return undefined
  }

  async remove(request: string): Promise<void> {
    await rm(this.#path(request), { force: true })
  }

  /** Removes files that nothing refers to any more. @param before last changed, Unix milliseconds. */
  async sweep(before: number): Promise<void> {
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

/** The second one: the folder itself is a file. */
const NOT_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"])

async function openToRead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r")
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}
