import type { FileHandle } from "node:fs/promises"
import type { FileBytes } from "../../media/stored-file.ts"
import type { Reservation } from "../../limits/memory-budget.ts"

/** Who reads so much of a file at once does so to put it into a request: as it is, as base64 and as text. Bytes. */
const LARGE_READ = 256 * 1024
const COPIES = 3

/** Bytes that were received and can be read until they are disposed of. */
export interface SpooledBytes extends FileBytes, AsyncDisposable {}

/** What was to be read of a file has not arrived. */
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

  /** @param written bytes that are on disk by now. */
  grow(written: number): void {
    this.#written = written
    this.#wake()
  }

  letFinish(): void {
    this.#mayFinish = true
    this.#wake()
  }

  /** No more will arrive. */
  end(): void {
    if (this.#state === "arriving") this.#state = "over"
    this.#wake()
  }

  /** No more will arrive, and what has cannot be read any more. */
  breakOff(): void {
    if (this.#state === "arriving") this.#state = "broken off"
    this.#wake()
  }

  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    // Who needs so much at once gains nothing by asking early, and would take the memory for it twice.
    if (end - start > LARGE_READ) throw new IncompleteFile("it is still arriving")
    while (!this.#canRead(end)) await this.#more.promise
    return readAll(this.#handle, start, end)
  }

  /** @throws IncompleteFile where waiting is of no use. */
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

/** A file that is small. */
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

/** A file that is long. */
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
  if (bytes > LARGE_READ) memory?.takeAnswer(COPIES * bytes)
}

/** Writes a chunk at a place of a file. */
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
