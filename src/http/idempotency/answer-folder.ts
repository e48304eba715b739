import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"
import { mkdirSync } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"

/** Status and headers of an answer. */
export interface AnswerHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** How an answer ended: all of it came, or its connection was cut. */
export type Ending = "whole" | "cut"

/** What a part of a file holds: its first byte says which. */
const HEAD = 0
const CHUNK = 1
const ENDINGS: Readonly<Record<Ending, number>> = { whole: 2, cut: 3 }

const CIPHER = "aes-256-gcm"
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Before each part stands how long it is. */
const LENGTH_BYTES = 4
/** Bytes of an answer in one part, so that none is read whole. */
export const LARGEST_CHUNK = 256 * 1024
const NOTHING = new Uint8Array()

/** Where a part of a file is, and its number. */
export interface Place {
  readonly offset: number
  readonly sequence: number
}

interface Part {
  readonly kind: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly next: Place
}

const BEGINNING: Place = { offset: 0, sequence: 0 }

/**
 * Where answers are kept, each in a file of its own, sealed under a key of its own that follows from the
 * installation's secret and the request's id. Parts are numbered by their nonces, and the last one says
 * that it is: none can be left out, exchanged or cut off unnoticed.
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
    file.append(HEAD, Buffer.from(JSON.stringify(head)))
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

  /** Removes what no one knows any more. @param before last changed, Unix milliseconds. */
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

/** A file of sealed parts. */
export class AnswerFile {
  readonly #handle: FileHandle
  readonly #key: Uint8Array
  #end: Place = BEGINNING
  /** Sealed, and not written yet. */
  #pending: Buffer[] = []

  constructor(handle: FileHandle, key: Uint8Array) {
    this.#handle = handle
    this.#key = key
  }

  /** Bytes. */
  get size(): number {
    return this.#end.offset
  }

  /** Appends bytes of the answer. @returns where they are once they have been written. */
  appendChunk(bytes: Uint8Array): Place {
    return this.append(CHUNK, bytes)
  }

  /** Writes what has been appended. */
  async write(): Promise<void> {
    const pending = Buffer.concat(this.#pending)
    this.#pending = []
    await this.#handle.appendFile(pending)
  }

  /**
   * Says how the answer ended, and waits until all of it is on the disk. Its name in the folder may be lost
   * with the power, as file systems have it: then the answer is gone, and no money.
   */
  async finish(ending: Ending): Promise<void> {
    this.append(ENDINGS[ending], NOTHING)
    await this.write()
    await this.#handle.datasync()
  }

  append(kind: number, bytes: Uint8Array): Place {
    const place = this.#end
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(place))
    const sealed = [cipher.update(Uint8Array.of(kind)), cipher.update(bytes), cipher.final()]
    const content = Buffer.concat([Buffer.alloc(LENGTH_BYTES), ...sealed, cipher.getAuthTag()])
    content.writeUInt32BE(content.byteLength - LENGTH_BYTES)
    this.#pending.push(content)
    this.#end = { offset: place.offset + content.byteLength, sequence: place.sequence + 1 }
    return place
  }

  /** @throws Error when nothing whole is there, or it was changed. */
  async read(place: Place): Promise<Part> {
    const length = (await this.#bytes(place.offset, LENGTH_BYTES)).readUInt32BE()
    if (length > LARGEST_CHUNK + TAG_BYTES + 1) throw new Error("a kept answer is damaged")
    const sealed = await this.#bytes(place.offset + LENGTH_BYTES, length)
    const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(place))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const opened = decipher.update(sealed.subarray(0, -TAG_BYTES))
    decipher.final()
    return {
      kind: opened[0] ?? -1,
      bytes: new Uint8Array(opened.subarray(1)),
      next: { offset: place.offset + LENGTH_BYTES + length, sequence: place.sequence + 1 },
    }
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  async #bytes(start: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, start + filled)
      if (bytesRead === 0) throw new Error("a kept answer ends too soon")
      filled += bytesRead
    }
    return bytes
  }
}

/** An answer on disk, read from its beginning to its end. */
export class StoredAnswer implements AsyncDisposable {
  readonly head: AnswerHead
  readonly ending: Ending
  /** On disk, in bytes. */
  readonly size: number
  /** Bytes of its body. */
  readonly length: number
  readonly #file: AnswerFile
  #next: Place

  private constructor(
    file: AnswerFile,
    facts: Pick<StoredAnswer, "head" | "ending" | "size" | "length"> & { readonly first: Place },
  ) {
    this.#file = file
    this.head = facts.head
    this.ending = facts.ending
    this.size = facts.size
    this.length = facts.length
    this.#next = facts.first
  }

  /** Undefined where its end is missing. @throws Error when it is damaged. */
  static async read(file: AnswerFile): Promise<StoredAnswer | undefined> {
    const { bytes, next: first } = await file.read(BEGINNING)
    const head = JSON.parse(Buffer.from(bytes).toString()) as AnswerHead
    let length = 0
    for (let place = first; ;) {
      const part = await file.read(place)
      const ending = endingOf(part.kind)
      place = part.next
      if (ending) return new StoredAnswer(file, { head, ending, size: place.offset, length, first })
      length += part.bytes.byteLength
    }
  }

  /** The next bytes of the body; undefined at its end. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { kind, bytes, next } = await this.#file.read(this.#next)
    if (kind !== CHUNK) return undefined
    this.#next = next
    return bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}

function endingOf(kind: number): Ending | undefined {
  if (kind === ENDINGS.whole) return "whole"
  return kind === ENDINGS.cut ? "cut" : undefined
}

function nonceOf({ sequence }: Place): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt32BE(sequence, NONCE_BYTES - 4)
  return nonce
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
