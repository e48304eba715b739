import {
  type AnswerFile,
  type AnswerFolder,
  type AnswerHead,
  type Ending,
  LARGEST_CHUNK,
  type Place,
} from "./answer-folder.ts"

/** Why the rest of an answer does not come: whoever reads it has its connection cut. */
export class CutShort extends Error {
  override readonly name = "CutShort"
}

/** Bytes of an answer that are on disk. */
interface Spilled extends Place {
  /** Where in the body they begin. */
  readonly start: number
}

export interface RecordingParts {
  readonly folder: AnswerFolder
  readonly request: string
  /** Bytes of a body that is kept. One that is larger reaches only those who have asked for it by then. */
  readonly limit: number
  /** No one reads it any more, and it has not ended. */
  readonly onAbandoned: () => void
  readonly onFailure: (error: unknown) => void
}

/**
 * An answer while it comes, for any number of readers who each begin at its first byte and go at their own
 * speed. What is in memory is bounded: the rest is on disk, sealed. Beyond its limit it is not written
 * any more, and comes only as fast as the slowest of its readers takes it.
 */
export class Recording {
  head: AnswerHead | undefined
  ending: Ending | undefined
  readonly #parts: RecordingParts
  readonly #readers = new Set<RecordingReader>()
  readonly #spilled: Spilled[] = []
  #file: AnswerFile | undefined
  #isTooLarge = false
  #isAbandoned = false
  #memory: Uint8Array<ArrayBuffer>[] = []
  /** Where in the body the bytes in memory begin. */
  #memoryStart = 0
  #length = 0
  #change = Promise.withResolvers<void>()

  constructor(parts: RecordingParts) {
    this.#parts = parts
  }

  /** Bytes that can be read. */
  get length(): number {
    return this.#length
  }

  /** Whether everyone who wanted it has gone. */
  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  /** Whether it has grown beyond what is kept. */
  get isTooLarge(): boolean {
    return this.#isTooLarge
  }

  /** The next change of anything that can be seen here. */
  get changed(): Promise<void> {
    return this.#change.promise
  }

  /** Undefined when it is too late to read it from its beginning. */
  join(): RecordingReader | undefined {
    if (this.#isAbandoned || this.#isTooLarge) return undefined
    const reader = new RecordingReader(this)
    this.#readers.add(reader)
    return reader
  }

  /** A reader has had enough. */
  left(reader: RecordingReader): void {
    if (!this.#readers.delete(reader)) return
    this.#report()
    if (this.#readers.size > 0) return
    if (this.ending) return this.#close()
    this.#isAbandoned = true
    this.#parts.onAbandoned()
  }

  begin(head: AnswerHead): void {
    this.head = head
    this.#report()
  }

  /** Adds bytes, and waits until there is room for more. */
  async add(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#show(bytes)
    if (this.#length - this.#memoryStart <= LARGEST_CHUNK) return
    if (this.#length > this.#parts.limit) this.#isTooLarge = true
    if (!this.#isTooLarge) await this.#spill()
    if (this.#isTooLarge) await this.#awaitReaders()
  }

  /**
   * Writes all of it to disk, the last bytes before anyone can read them.
   * @returns its size there; undefined where it is too large, or there is none.
   */
  async store(last: Uint8Array | undefined, ending: Ending): Promise<number | undefined> {
    const length = this.#length + (last?.byteLength ?? 0)
    if (this.#isTooLarge || length > this.#parts.limit) return undefined
    const file = await this.#open()
    if (!file) return undefined
    appendAll(file, Buffer.concat(this.#memory))
    if (last) appendAll(file, last)
    await file.finish(ending)
    return file.size
  }

  /** The last bytes, and the end. */
  end(last: Uint8Array<ArrayBuffer> | undefined, ending: Ending): void {
    this.ending = ending
    if (last) this.#show(last)
    this.#report()
    if (this.#readers.size === 0) this.#close()
  }

  /** Bytes from a position on, as many as come at once. */
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

  /** A reader has taken bytes. */
  taken(): void {
    if (this.#isTooLarge) this.#report()
  }

  async #fromDisk(position: number): Promise<Uint8Array<ArrayBuffer>> {
    const place = this.#spilled.findLast(({ start }) => start <= position)
    if (!place || !this.#file) throw new CutShort("the answer is gone")
    const { bytes } = await this.#file.read(place)
    return bytes.subarray(position - place.start)
  }

  /** What cannot be written is as what is too large: it is still delivered. */
  async #spill(): Promise<void> {
    try {
      const file = await this.#open()
      if (!file) return
      const places = appendAll(file, Buffer.concat(this.#memory))
      await file.write()
      for (const [index, place] of places.entries()) {
        this.#spilled.push({ ...place, start: this.#memoryStart + index * LARGEST_CHUNK })
      }
      this.#forgetMemory()
    } catch (error) {
      this.#isTooLarge = true
      this.#parts.onFailure(error)
    }
  }

  async #open(): Promise<AnswerFile | undefined> {
    if (!this.head) return undefined
    return (this.#file ??= await this.#parts.folder.create(this.#parts.request, this.head))
  }

  async #awaitReaders(): Promise<void> {
    while ([...this.#readers].some(({ position }) => position < this.#length)) await this.changed
    this.#forgetMemory()
  }

  #forgetMemory(): void {
    this.#memory = []
    this.#memoryStart = this.#length
  }

  #show(bytes: Uint8Array<ArrayBuffer>): void {
    this.#memory.push(bytes)
    this.#length += bytes.byteLength
    this.#report()
  }

  #report(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers<void>()
  }

  #close(): void {
    this.#forgetMemory()
    const file = this.#file
    this.#file = undefined
    file?.close().catch(this.#parts.onFailure)
  }
}

/** Someone who reads an answer while it comes. */
export class RecordingReader {
  /** Bytes taken so far. */
  position = 0
  readonly #recording: Recording
  #hasLeft = false

  constructor(recording: Recording) {
    this.#recording = recording
  }

  /**
   * Waits for the beginning of the answer: its head, and some of its body or its end.
   * @returns undefined when the reader has left before.
   */
  async begun(): Promise<AnswerHead | undefined> {
    const recording = this.#recording
    while (!this.#hasLeft) {
      const { head, ending, length } = recording
      if (head && (ending || length > 0)) return head
      await recording.changed
    }
    return undefined
  }

  /** How many bytes are left, once that is known to be all. */
  get rest(): number | undefined {
    const { ending, length } = this.#recording
    return ending === "whole" ? length - this.position : undefined
  }

  /** The next bytes; undefined at the end. @throws CutShort. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const recording = this.#recording
    while (!this.#hasLeft) {
      if (this.position < recording.length) {
        const bytes = await recording.bytesFrom(this.position)
        this.position += bytes.byteLength
        recording.taken()
        return bytes
      }
      if (recording.ending === "cut") throw new CutShort("the answer broke off")
      if (recording.ending) return undefined
      await recording.changed
    }
    return undefined
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#recording.left(this)
  }
}

/** In chunks of the largest size but for the last. */
function appendAll(file: AnswerFile, bytes: Uint8Array): Place[] {
  const places: Place[] = []
  for (let done = 0; done < bytes.byteLength; done += LARGEST_CHUNK) {
    places.push(file.appendChunk(bytes.subarray(done, done + LARGEST_CHUNK)))
  }
  return places
}
