import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import type { FileBytes } from "../../media/stored-file.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import {
  ArrivingBytes,
  BytesInMemory,
  BytesOnDisk,
  type SpooledBytes,
  writeAll,
} from "./spooled-bytes.ts"

/** Files up to this many bytes stay in memory. */
const SMALL = 1024 * 1024

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
  create(memory?: Reservation): SpooledWrite {
    return new SpooledWrite(this.#folder, memory)
  }
}

/** Opens a file and removes its name immediately, which a sweep of another process may have done already. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, crypto.randomUUID())
  const handle = await open(path, "wx+", 0o600)
  try {
    await rm(path, { force: true })
  } catch (error) {
    await handle.close()
    throw error
  }
  return handle
}

/** A file that is being written. Dispose of it in any case; what is finished outlives it. */
export class SpooledWrite implements AsyncDisposable {
  /** Bytes so far. */
  size = 0
  readonly #folder: string
  readonly #memory: Reservation | undefined
  #chunks: Uint8Array[] = []
  #handle: FileHandle | undefined
  #arriving: ArrivingBytes | undefined

  constructor(folder: string, memory: Reservation | undefined) {
    this.#folder = folder
    this.#memory = memory
  }

  /**
   * The file as it will be, to be read while it is written: a reader that is ahead of the writer waits, and at its
   * end until `letFinish` is called.
   * @param size what it is expected to come to. If it comes to less, reading fails.
   */
  async readAhead(size: number): Promise<FileBytes> {
    this.#handle = await openUnnamed(this.#folder)
    this.#arriving = new ArrivingBytes(this.#handle, size)
    return this.#arriving
  }

  /** Keeps the next chunk, which is of no use any more then. @throws GatewayError `overloaded` */
  async add(chunk: Uint8Array): Promise<void> {
    const position = this.size
    this.size += chunk.byteLength
    if (!this.#handle && this.size <= SMALL) {
      this.#memory?.takeBody(chunk.byteLength)
      this.#chunks.push(new Uint8Array(chunk))
      return
    }
    if (!this.#handle) {
      this.#handle = await openUnnamed(this.#folder)
      const begun = Buffer.concat(this.#chunks)
      this.#chunks = []
      await writeAll(this.#handle, begun, 0)
      this.#memory?.give(begun.byteLength)
    }
    await writeAll(this.#handle, chunk, position)
    this.#arriving?.grow(this.size)
  }

  /** All that was written. */
  finish(): SpooledBytes {
    const handle = this.#handle
    this.#handle = undefined
    this.#arriving?.end()
    if (!handle) return new BytesInMemory(this.#chunks)
    return new BytesOnDisk(handle, this.size, this.#memory)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#arriving?.breakOff()
    await this.#handle?.close()
  }
}
