import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import type { FileBytes } from "../canon/form-file.ts"

/** Files up to this many bytes stay in memory. */
const SMALL = 1024 * 1024

/**
 * Pieces of uploads that have passed are garbage soon, of which the collector lets tens of megabytes
 * pile up. It is called when this many bytes have passed; it works beside us, not in our way.
 */
const MUCH_GARBAGE = 2 * 1024 * 1024

/** Bytes that came in and can be read until they are disposed of. */
export interface SpooledBytes extends FileBytes, AsyncDisposable {}

/**
 * Where uploads are kept while their requests run: the small ones in memory, the others on disk in
 * files without a name. Whatever becomes of the process, nothing of them stays.
 */
export class Spool {
  readonly #folder: string
  #passed = 0

  /** @param folder may be shared by processes; what a dead one left in it is swept now. */
  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true })
  }

  /**
   * Keeps what comes, up to its end.
   * @param check called with the bytes so far, before any more is kept; throws to refuse them.
   */
  async keep(
    content: AsyncIterable<Uint8Array>,
    check: (size: number) => void,
  ): Promise<SpooledBytes> {
    const pass = (bytes: number): void => this.#pass(bytes)
    await using draft = new SpoolDraft(() => this.#openFile(), pass)
    for await (const piece of content) {
      check(draft.size + piece.byteLength)
      await draft.add(piece)
    }
    return draft.finish()
  }

  #pass(bytes: number): void {
    this.#passed += bytes
    if (this.#passed < MUCH_GARBAGE) return
    this.#passed = 0
    Bun.gc(false)
  }

  /** It loses its name at once, which a sweep of another process may have done already. */
  async #openFile(): Promise<FileHandle> {
    const path = join(this.#folder, crypto.randomUUID())
    const handle = await open(path, "wx+", 0o600)
    try {
      await rm(path, { force: true })
    } catch (error) {
      await handle.close()
      throw error
    }
    return handle
  }
}

class SpoolDraft implements AsyncDisposable {
  size = 0
  readonly #openFile: () => Promise<FileHandle>
  readonly #pass: (bytes: number) => void
  #pieces: Uint8Array[] = []
  #handle: FileHandle | undefined

  constructor(openFile: () => Promise<FileHandle>, pass: (bytes: number) => void) {
    this.#openFile = openFile
    this.#pass = pass
  }

  async add(piece: Uint8Array): Promise<void> {
    const position = this.size
    this.size += piece.byteLength
    this.#pass(piece.byteLength)
    if (this.#handle) return writeAll(this.#handle, piece, position)
    this.#pieces.push(piece)
    if (this.size <= SMALL) return
    this.#handle = await this.#openFile()
    await writeAll(this.#handle, Buffer.concat(this.#pieces), 0)
    this.#pieces = []
  }

  finish(): SpooledBytes {
    const handle = this.#handle
    this.#handle = undefined
    return handle ? new BytesOnDisk(handle, this.size, this.#pass) : new BytesInMemory(this.#pieces)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close()
  }
}

class BytesInMemory implements SpooledBytes {
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(pieces: readonly Uint8Array[]) {
    this.#bytes = new Uint8Array(Buffer.concat(pieces))
  }

  get size(): number {
    return this.#bytes.byteLength
  }

  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    return Promise.resolve(this.#bytes.slice(start, end))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}

class BytesOnDisk implements SpooledBytes {
  readonly size: number
  readonly #handle: FileHandle
  readonly #pass: (bytes: number) => void

  constructor(handle: FileHandle, size: number, pass: (bytes: number) => void) {
    this.#handle = handle
    this.#pass = pass
    this.size = size
  }

  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    this.#pass(end - start)
    const bytes = new Uint8Array(end - start)
    let filled = 0
    while (filled < bytes.byteLength) {
      const { bytesRead } = await this.#handle.read(
        bytes,
        filled,
        bytes.byteLength - filled,
        start + filled,
      )
      if (bytesRead === 0) throw new Error("a spooled file became shorter")
      filled += bytesRead
    }
    return bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

async function writeAll(handle: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < piece.byteLength) {
    const { bytesWritten } = await handle.write(
      piece,
      written,
      piece.byteLength - written,
      position + written,
    )
    written += bytesWritten
  }
}
