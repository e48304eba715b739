import type { FileHandle } from "node:fs/promises"
import type { FileBytes } from "../../media/stored-file.ts"
import type { Reservation } from "../../limits/memory-budget.ts"

/**
 * Minimum size in bytes of a large read. Large reads build a request that holds the bytes as received, as base64 and as
 * text.
 */
const LARGE_READ_BYTES = 256 * 1024
const COPIES = 3

/** Received bytes that can be read until they are disposed of. */
export interface SpooledBytes extends FileBytes, AsyncDisposable {}

/** Thrown when the requested bytes of a file have not arrived yet. */
export class IncompleteFile extends Error {
  override readonly name = "IncompleteFile"
}

/** A file that grows while it is read. */
export class ArrivingBytes implements FileBytes {
  readonly size: number
  readonly #handle: FileHandle
  #written = 0
  #state: "arriving" | "over" | "broken off" = "arriving"
  #mayFinish = false
  #more = Promise.withResolvers<void>()

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  /** @param written number of bytes on disk. */
  grow(written: number): void {
    this.#written = written
    this.#wake()
  }

  letFinish(): void {
    this.#mayFinish = true
    this.#wake()
  }

  /** Marks the file as complete. */
  end(): void {
    if (this.#state === "arriving") this.#state = "over"
    this.#wake()
  }

  /** Marks the file as interrupted and unreadable. */
  breakOff(): void {
    if (this.#state === "arriving") this.#state = "broken off"
    this.#wake()
  }

  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    // A large read gains nothing from an early start, and would reserve its memory twice.
    if (end - start > LARGE_READ_BYTES) throw new IncompleteFile("it is still arriving")
    while (!this.#canRead(end)) await this.#more.promise
    return readAll(this.#handle, start, end)
  }

  /**
   * Whether bytes up to `end` can be read now.
   * @throws IncompleteFile if the bytes will never arrive.
   */
  #canRead(end: number): boolean {
    if (this.#state === "broken off") throw new IncompleteFile("it broke off")
    if (this.#written < end) {
      if (this.#state === "over") throw new IncompleteFile("it is shorter than expected")
      return false
    }
    return end < this.size || this.#mayFinish
  }

  #wake(): void {
    this.#more.resolve()
    this.#more = Promise.withResolvers<void>()
  }
}

/** The bytes of a small file. */
export class BytesInMemory implements SpooledBytes {
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(chunks: readonly Uint8Array[]) {
    this.#bytes = new Uint8Array(Buffer.concat(chunks))
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

/** The bytes of a long file. */
export class BytesOnDisk implements SpooledBytes {
  readonly size: number
  readonly #handle: FileHandle
  readonly #memory: Reservation | undefined

  constructor(handle: FileHandle, size: number, memory: Reservation | undefined) {
    this.#handle = handle
    this.size = size
    this.#memory = memory
  }

  get descriptor(): number {
    return this.#handle.fd
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
  if (bytes > LARGE_READ_BYTES) memory?.takeResponse(COPIES * bytes)
}

/** Writes a chunk at an offset of a file. */
export async function writeAll(
  handle: FileHandle,
  chunk: Uint8Array,
  position: number,
): Promise<void> {
  let written = 0
  while (written < chunk.byteLength) {
    const { bytesWritten } = await handle.write(
      chunk,
      written,
      chunk.byteLength - written,
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
