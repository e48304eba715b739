import { type ResponseHead, type Ending, MAX_CHUNK_BYTES } from "./response-file.ts"
import type { ResponseFolder } from "./response-folder.ts"
import { CutShort, RecordedBody } from "./recorded-body.ts"

export interface RecordingParts {
  readonly folder: ResponseFolder
  readonly request: string
  /**
   * Maximum bytes of a stored body. A larger body is only sent to readers that joined before the limit was exceeded.
   */
  readonly limit: number
  /**
   * Called when the last reader leaves a response that is too large to store. No retry can then receive the response.
   */
  readonly onAbandoned: () => void
  readonly onFailure: (error: unknown) => void
}

/**
 * A response that is being recorded. Any number of readers start at its first byte and read at their own speed. Memory
 * is limited, because earlier bytes are on disk. Beyond the size limit nothing is written to disk, and the slowest
 * reader determines the speed.
 */
export class Recording {
  head: ResponseHead | undefined
  ending: Ending | undefined
  readonly #parts: RecordingParts
  readonly #readers = new Set<RecordingReader>()
  readonly #body: RecordedBody
  #isTooLarge = false
  /** Whether the recording was abandoned, because it has no reader and cannot be stored. */
  #isAbandoned = false
  #change = Promise.withResolvers<void>()

  constructor(parts: RecordingParts) {
    this.#parts = parts
    this.#body = new RecordedBody(parts.folder, parts.request)
  }

  /** Number of bytes that can be read. */
  get length(): number {
    return this.#body.length
  }

  /** Whether the response has exceeded the size limit. */
  get isTooLarge(): boolean {
    return this.#isTooLarge
  }

  /** Resolves when the recording changes next. */
  get changed(): Promise<void> {
    return this.#change.promise
  }

  /** Adds a reader; undefined if the beginning can no longer be read. */
  join(): RecordingReader | undefined {
    if (this.#isAbandoned || this.#isTooLarge) return undefined
    const reader = new RecordingReader(this)
    this.#readers.add(reader)
    return reader
  }

  left(reader: RecordingReader): void {
    if (!this.#readers.delete(reader)) return
    this.#report()
    if (this.#readers.size > 0) return
    if (this.ending) return this.#close()
    // A recording that can be stored continues, and a retry of the caller receives the response.
    if (this.#isTooLarge || this.length >= this.#parts.limit) this.#abandon()
  }

  begin(head: ResponseHead): void {
    this.head = head
    this.#report()
  }

  /** Adds bytes. Waits until there is room for more. */
  async add(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#show(bytes)
    if (this.#body.inMemory <= MAX_CHUNK_BYTES) return
    if (this.length > this.#parts.limit) this.#isTooLarge = true
    if (!this.#isTooLarge) await this.#spill()
    if (!this.#isTooLarge) return
    if (this.#readers.size === 0) this.#abandon()
    await this.#awaitReaders()
  }

  /**
   * Stores the whole response before its last bytes can be read.
   * @returns the stored size; undefined if the response is too large or has no head.
   */
  async store(last: Uint8Array | undefined, ending: Ending): Promise<number | undefined> {
    const length = this.length + (last?.byteLength ?? 0)
    if (this.#isTooLarge || length > this.#parts.limit || !this.head) return undefined
    const size = await this.#body.finish(this.head, last, ending)
    await this.#parts.folder.keep(this.#parts.request)
    return size
  }

  /** Adds the last bytes and the ending. */
  end(last: Uint8Array<ArrayBuffer> | undefined, ending: Ending): void {
    this.ending = ending
    if (last) this.#show(last)
    this.#report()
    if (this.#readers.size === 0) this.#close()
  }

  /** Returns contiguous bytes from a position. */
  bytesFrom(position: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#body.bytesFrom(position)
  }

  /** Reports that a reader has taken bytes. */
  taken(): void {
    if (this.#isTooLarge) this.#report()
  }

  #abandon(): void {
    this.#isAbandoned = true
    this.#parts.onAbandoned()
  }

  /**
   * Writes bytes to disk. If this fails, the response is delivered but not stored, like a response that is too large.
   */
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

/** Reads a response while it is being recorded. */
export class RecordingReader {
  /** Number of bytes that this reader has read. */
  position = 0
  readonly #recording: Recording
  #hasLeft = false

  constructor(recording: Recording) {
    this.#recording = recording
  }

  /**
   * Waits for the beginning of the response, which is the head together with the first bytes of the body or its end.
   * @returns undefined if the reader has already left.
   */
  async begun(): Promise<ResponseHead | undefined> {
    const recording = this.#recording
    while (!this.#hasLeft) {
      const { head, ending, length } = recording
      if (head && (ending || length > 0)) return head
      await recording.changed
    }
    return undefined
  }

  /** Number of remaining bytes, if the response is complete. */
  get rest(): number | undefined {
    const { ending, length } = this.#recording
    return ending === "whole" ? length - this.position : undefined
  }

  /** Number of bytes that can be read at once. */
  get ready(): number {
    return this.#recording.length - this.position
  }

  /**
   * Returns the next bytes; undefined at the end.
   * @throws CutShort if they are no longer available.
   */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const recording = this.#recording
    while (!this.#hasLeft) {
      if (this.position < recording.length) {
        const bytes = await recording.bytesFrom(this.position)
        this.position += bytes.byteLength
        recording.taken()
        return bytes
      }
      if (recording.ending === "cut") throw new CutShort("the response broke off")
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
