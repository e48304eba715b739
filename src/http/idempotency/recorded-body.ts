import {
  type ResponseFile,
  type ResponseHead,
  type Ending,
  MAX_CHUNK_BYTES,
  type PartPosition,
} from "./response-file.ts"
import type { ResponseFolder } from "./response-folder.ts"

/** Thrown when the rest of a response is unavailable. The connections of all its readers are cut. */
export class CutShort extends Error {
  override readonly name = "CutShort"
}

/** Bytes of a body that are on disk. */
interface Spilled extends PartPosition {
  /** Offset of the bytes in the body. */
  readonly start: number
}

/**
 * The body of a response that is being recorded. The last bytes are in memory, and earlier bytes are encrypted on disk.
 */
export class RecordedBody {
  readonly #folder: ResponseFolder
  readonly #request: string
  readonly #spilled: Spilled[] = []
  #file: ResponseFile | undefined
  #memory: Uint8Array<ArrayBuffer>[] = []
  /** Offset in the body of the first byte that is in memory. */
  #memoryStart = 0
  #length = 0

  constructor(folder: ResponseFolder, request: string) {
    this.#folder = folder
    this.#request = request
  }

  /** Number of bytes received so far. */
  get length(): number {
    return this.#length
  }

  get inMemory(): number {
    return this.#length - this.#memoryStart
  }

  append(bytes: Uint8Array<ArrayBuffer>): void {
    this.#memory.push(bytes)
    this.#length += bytes.byteLength
  }

  /** Moves the bytes in memory to disk. */
  async spill(head: ResponseHead): Promise<void> {
    const file = await this.#open(head)
    const positions = appendAll(file, Buffer.concat(this.#memory))
    await file.write()
    for (const [index, position] of positions.entries()) {
      this.#spilled.push({ ...position, start: this.#memoryStart + index * MAX_CHUNK_BYTES })
    }
    this.forgetMemory()
  }

  /**
   * Writes the whole body to disk, including last bytes that cannot be read yet.
   * @returns its size on disk.
   */
  async finish(head: ResponseHead, last: Uint8Array | undefined, ending: Ending): Promise<number> {
    const file = await this.#open(head)
    appendAll(file, Buffer.concat(this.#memory))
    if (last) appendAll(file, last)
    await file.finish(ending)
    return file.size
  }

  /**
   * Returns contiguous bytes from a position.
   * @throws CutShort if they are no longer available.
   */
  async bytesFrom(position: number): Promise<Uint8Array<ArrayBuffer>> {
    if (position < this.#memoryStart) return this.#fromDisk(position)
    let start = this.#length
    let index = this.#memory.length
    while (start > position) start -= this.#memory[--index]?.byteLength ?? start
    const [only, ...more] = this.#memory.slice(index)
    const bytes =
      more.length === 0 && only ? only : new Uint8Array(Buffer.concat(this.#memory.slice(index)))
    return start === position ? bytes : bytes.subarray(position - start)
  }

  forgetMemory(): void {
    this.#memory = []
    this.#memoryStart = this.#length
  }

  async close(): Promise<void> {
    this.forgetMemory()
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async #fromDisk(position: number): Promise<Uint8Array<ArrayBuffer>> {
    const part = this.#spilled.findLast(({ start }) => start <= position)
    if (!part || !this.#file) throw new CutShort("the recorded response is no longer available")
    const { bytes } = await this.#file.read(part)
    return bytes.subarray(position - part.start)
  }

  async #open(head: ResponseHead): Promise<ResponseFile> {
    return (this.#file ??= await this.#folder.create(this.#request, head))
  }
}

/** Appends bytes in chunks of the maximum size. Only the last chunk may be shorter. */
function appendAll(file: ResponseFile, bytes: Uint8Array): PartPosition[] {
  const positions: PartPosition[] = []
  for (let done = 0; done < bytes.byteLength; done += MAX_CHUNK_BYTES) {
    positions.push(file.appendChunk(bytes.subarray(done, done + MAX_CHUNK_BYTES)))
  }
  return positions
}
