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

/** Maximum bytes of a file that stays in memory. */
const MAX_MEMORY_BYTES = 1024 * 1024

/**
 * Stores uploads while their requests run. Small uploads are in memory, and larger uploads in unlinked files on disk,
 * so that no file remains even if the process dies.
 */
export class Spool {
  readonly #folder: string

  /** @param folder may be shared by processes. Files that dead processes have left are removed now. */
  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true })
  }

  /**
   * Creates a file for writing.
   * @param memory accounts for the parts of the file in memory, and for large reads.
   */
  create(memory?: Reservation): SpooledWrite {
    return new SpooledWrite(this.#folder, memory)
  }
}

/** Creates a file, opens it and unlinks it immediately. Another process may already have removed it. */
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

/** A file that is being written. It must always be disposed of. The finished file remains valid afterwards. */
export class SpooledWrite implements AsyncDisposable {
  /** Number of bytes written so far. */
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
   * Returns the file for reading while it is written. A reader ahead of the writer waits. Before the end of the file,
   * the reader also waits until `letFinish` is called.
   * @param size expected size. Reading fails if the file is shorter.
   */
  async readAhead(size: number): Promise<FileBytes> {
    this.#handle = await openUnnamed(this.#folder)
    this.#arriving = new ArrivingBytes(this.#handle, size)
    return this.#arriving
  }

  /**
   * Stores the next chunk. The caller must not use the chunk afterwards.
   * @throws GatewayError `overloaded`
   */
  async add(chunk: Uint8Array): Promise<void> {
    const position = this.size
    this.size += chunk.byteLength
    if (!this.#handle && this.size <= MAX_MEMORY_BYTES) {
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

  /** Returns the complete file. */
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
