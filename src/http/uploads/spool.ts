import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { type FileBytes, IncompleteFile } from "../../canon/form-file.ts"
import type { Reservation } from "../../limits/memory-budget.ts"

/** Files up to this many bytes stay in memory. */
const SMALL = 1024 * 1024
/** Who reads so much of a file at once does so to put it into a request: as it is, as base64 and as text. Bytes. */
const LARGE_READ = 256 * 1024
const COPIES = 3

/** Bytes that came in and can be read until they are disposed of. */
export interface SpooledBytes extends FileBytes, AsyncDisposable {}

/**
 * Where uploads are kept while their requests run: the small ones in memory, the others on disk in
 * files without a name. Whatever becomes of the process, nothing of them stays.
 */
export class Spool {
  readonly #folder: string

  /** @param folder may be shared by processes; what a dead one left in it is swept now. */
  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true })
  }

  /** A file to be written. @param memory takes what of it is kept in memory, and what is read of it at once. */
  create(memory?: Reservation): SpoolDraft {
    return new SpoolDraft(() => this.#openFile(), memory)
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

/** A file that is being written. Dispose of it in any case; what is finished outlives it. */
export class SpoolDraft implements AsyncDisposable {
  /** Bytes so far. */
  size = 0
  readonly #openFile: () => Promise<FileHandle>
  readonly #memory: Reservation | undefined
  #pieces: Uint8Array[] = []
  #handle: FileHandle | undefined
  #arriving: ArrivingBytes | undefined

  constructor(openFile: () => Promise<FileHandle>, memory: Reservation | undefined) {
    this.#openFile = openFile
    this.#memory = memory
  }

  /**
   * The file as it will be, to be read while it is written: who reads ahead of what is there waits for it, and at its
   * end until `letFinish` is called.
   * @param size what it is expected to come to. If it comes to less, reading fails.
   */
  async readAhead(size: number): Promise<FileBytes> {
    this.#handle = await this.#openFile()
    this.#arriving = new ArrivingBytes(this.#handle, size)
    return this.#arriving
  }

  /** Keeps the next piece, which is of no use any more then. @throws GatewayError `overloaded` */
  async add(piece: Uint8Array): Promise<void> {
    const position = this.size
    this.size += piece.byteLength
    if (!this.#handle && this.size <= SMALL) {
      this.#memory?.takeBody(piece.byteLength)
      this.#pieces.push(new Uint8Array(piece))
      return
    }
    if (!this.#handle) {
      this.#handle = await this.#openFile()
      const begun = Buffer.concat(this.#pieces)
      this.#pieces = []
      await writeAll(this.#handle, begun, 0)
      this.#memory?.give(begun.byteLength)
    }
    await writeAll(this.#handle, piece, position)
    this.#arriving?.come(this.size)
  }

  /** What was written, whole. */
  finish(): SpooledBytes {
    const handle = this.#handle
    this.#handle = undefined
    this.#arriving?.end()
    if (!handle) return new BytesInMemory(this.#pieces)
    return new BytesOnDisk(handle, this.size, this.#memory)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#arriving?.end()
    await this.#handle?.close()
  }
}

/** A file that grows while it is read. */
class ArrivingBytes implements FileBytes {
  readonly size: number
  readonly #handle: FileHandle
  #here = 0
  #isOver = false
  #mayFinish = false
  #more = Promise.withResolvers<void>()

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  /** @param here bytes that are on disk by now. */
  come(here: number): void {
    this.#here = here
    this.#tell()
  }

  letFinish(): void {
    this.#mayFinish = true
    this.#tell()
  }

  /** No more will come. */
  end(): void {
    this.#isOver = true
    this.#tell()
  }

  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    // Who needs so much at once gains nothing by asking early, and would take the memory for it twice.
    if (end - start > LARGE_READ) throw new IncompleteFile("it is still arriving")
    while (this.#here < end || (end === this.size && !this.#mayFinish)) {
      if (this.#isOver && this.#here < end) throw new IncompleteFile("it is shorter than expected")
      await this.#more.promise
    }
    return readAll(this.#handle, start, end)
  }

  #tell(): void {
    this.#more.resolve()
    this.#more = Promise.withResolvers<void>()
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
  readonly #memory: Reservation | undefined

  constructor(handle: FileHandle, size: number, memory: Reservation | undefined) {
    this.#handle = handle
    this.size = size
    this.#memory = memory
  }

  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    takeLarge(this.#memory, end - start)
    return readAll(this.#handle, start, end)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

function takeLarge(memory: Reservation | undefined, bytes: number): void {
  if (bytes > LARGE_READ) memory?.takeAnswer(COPIES * bytes)
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

async function readAll(
  handle: FileHandle,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start)
  let filled = 0
  while (filled < bytes.byteLength) {
    const left = bytes.byteLength - filled
    const { bytesRead } = await handle.read(bytes, filled, left, start + filled)
    if (bytesRead === 0) throw new Error("a spooled file became shorter")
    filled += bytesRead
  }
  return bytes
}
