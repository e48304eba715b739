import {
  type AnswerFile,
  type AnswerHead,
  type Ending,
  LARGEST_CHUNK,
  type PartPosition,
} from "./answer-file.ts"
import type { AnswerFolder } from "./answer-folder.ts"

/** Why the rest of an answer does not come: the connections of those who read it are cut. */
export class CutShort extends Error {
  override readonly name = "CutShort"
}

/** Bytes of a body that are on disk. */
interface Spilled extends PartPosition {
  /** Where in the body they begin. */
  readonly start: number
}

/** The body of an answer while it comes: the last bytes in memory, those before them on disk, encrypted. */
export class RecordedBody {
  readonly #folder: AnswerFolder
  readonly #request: string
  readonly #spilled: Spilled[] = []
  #file: AnswerFile | undefined
  #memory: Uint8Array<ArrayBuffer>[] = []
  /** Where in the body the bytes in memory begin. */
  #memoryStart = 0
  #length = 0

  constructor(folder: AnswerFolder, request: string) {
    this.#folder = folder
    this.#request = request
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  /** Bytes in memory. */
  get inMemory(): number {
    return this.#length - this.#memoryStart
  }

  append(bytes: Uint8Array<ArrayBuffer>): void {
    this.#memory.push(bytes)
    this.#length += bytes.byteLength
  }

  /** Moves what is in memory to the disk. */
  async spill(head: AnswerHead): Promise<void> {
    const file = await this.#open(head)
    const positions = appendAll(file, Buffer.concat(this.#memory))
    await file.write()
    for (const [index, position] of positions.entries()) {
      this.#spilled.push({ ...position, start: this.#memoryStart + index * LARGEST_CHUNK })
    }
    this.forgetMemory()
  }

  /**
   * Writes all of it to disk, with last bytes that cannot be read yet. @returns its size there.
   */
  async finish(head: AnswerHead, last: Uint8Array | undefined, ending: Ending): Promise<number> {
    const file = await this.#open(head)
    appendAll(file, Buffer.concat(this.#memory))
    if (last) appendAll(file, last)
    await file.finish(ending)
    return file.size
  }

  /** Bytes from a position on, as many as are together. @throws CutShort when they are gone. */
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

  async #open(head: AnswerHead): Promise<AnswerFile> {
    return (this.#file ??= await this.#folder.create(this.#request, head))
  }
}

/** In chunks of the largest size but for the last. */
function appendAll(file: AnswerFile, bytes: Uint8Array): PartPosition[] {
  const positions: PartPosition[] = []
  for (let done = 0; done < bytes.byteLength; done += LARGEST_CHUNK) {
    positions.push(file.appendChunk(bytes.subarray(done, done + LARGEST_CHUNK)))
  }
  return positions
}
