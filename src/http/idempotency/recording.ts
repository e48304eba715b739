import { type AnswerHead, type Ending, LARGEST_CHUNK } from "./answer-file.ts"
import type { AnswerFolder } from "./answer-folder.ts"
import { CutShort, RecordedBody } from "./recorded-body.ts"

export interface RecordingParts {
  readonly folder: AnswerFolder
  readonly request: string
  /** Bytes of a body that is kept. One that is larger reaches only those who have asked for it by then. */
  readonly limit: number
  /** Called when the last reader has left an answer that is too large to be kept, so no retry can get it. */
  readonly onAbandoned: () => void
  readonly onFailure: (error: unknown) => void
}

/**
 * An answer while it comes, for any number of readers, each of which starts at its first byte and reads at its own
 * speed. What is in memory is bounded: the rest is on disk. Beyond its limit it is not written any more, and comes
 * only as fast as the slowest of its readers takes it.
 */
export class Recording {
  head: AnswerHead | undefined
  ending: Ending | undefined
  readonly #parts: RecordingParts
  readonly #readers = new Set<RecordingReader>()
  readonly #body: RecordedBody
  #isTooLarge = false
  #isAbandoned = false
  #change = Promise.withResolvers<void>()

  constructor(parts: RecordingParts) {
    this.#parts = parts
    this.#body = new RecordedBody(parts.folder, parts.request)
  }

  /** Bytes that can be read. */
  get length(): number {
    return this.#body.length
  }

  /** Whether it was given up: it has no reader and cannot be kept. */
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
    // Otherwise it goes on: its caller gets it with the next try.
    if (this.#isTooLarge || this.length >= this.#parts.limit) this.#abandon()
  }

  begin(head: AnswerHead): void {
    this.head = head
    this.#report()
  }

  /** Adds bytes, and waits until there is room for more. */
  async add(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#show(bytes)
    if (this.#body.inMemory <= LARGEST_CHUNK) return
    if (this.length > this.#parts.limit) this.#isTooLarge = true
    if (!this.#isTooLarge) await this.#spill()
    if (!this.#isTooLarge) return
    if (this.#readers.size === 0) this.#abandon()
    await this.#awaitReaders()
  }

  /**
   * Keeps all of it, the last bytes before anyone can read them.
   * @returns its size as it is kept; undefined where it is too large, or there is none.
   */
  async store(last: Uint8Array | undefined, ending: Ending): Promise<number | undefined> {
    const length = this.length + (last?.byteLength ?? 0)
    if (this.#isTooLarge || length > this.#parts.limit || !this.head) return undefined
    const size = await this.#body.finish(this.head, last, ending)
    await this.#parts.folder.keep(this.#parts.request)
    return size
  }

  /** The last bytes, and the end. */
  end(last: Uint8Array<ArrayBuffer> | undefined, ending: Ending): void {
    this.ending = ending
    if (last) this.#show(last)
    this.#report()
    if (this.#readers.size === 0) this.#close()
  }

  /** Bytes from a position on, as many as come together. */
  bytesFrom(position: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#body.bytesFrom(position)
  }

  /** A reader has taken bytes. */
  taken(): void {
    if (this.#isTooLarge) this.#report()
  }

  #abandon(): void {
    this.#isAbandoned = true
    this.#parts.onAbandoned()
  }

  /** What cannot be written is as what is too large: it is still delivered. */
  async #spill(): Promise<void> {
    if (!this.head) return
    try {
      await this.#body.spill(this.head)
    } catch (error) {
      this.#isTooLarge = true
      this.#parts.onFailure(error)
    }
  }

  async #awaitReaders(): Promise<void> {
    while ([...this.#readers].some(({ position }) => position < this.length)) await this.changed
    this.#body.forgetMemory()
  }

  #show(bytes: Uint8Array<ArrayBuffer>): void {
    this.#body.append(bytes)
    this.#report()
  }

  #report(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers<void>()
  }

  #close(): void {
    this.#body.close().catch(this.#parts.onFailure)
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
