import {
  type AnswerFile,
  type AnswerHead,
  BEGINNING,
  type Ending,
  type Place,
} from "./answer-file.ts"

/** An answer on disk, read from its beginning to its end. */
export class StoredAnswer implements AsyncDisposable {
  readonly head: AnswerHead
  readonly ending: Ending
  /** On disk, in bytes. */
  readonly size: number
  /** Bytes of its body. */
  readonly length: number
  readonly #file: AnswerFile
  #next: Place

  private constructor(
    file: AnswerFile,
    facts: Pick<StoredAnswer, "head" | "ending" | "size" | "length"> & { readonly first: Place },
  ) {
    this.#file = file
    this.head = facts.head
    this.ending = facts.ending
    this.size = facts.size
    this.length = facts.length
    this.#next = facts.first
  }

  /** Undefined where its end is missing. @throws Error when it is damaged. */
  static async read(file: AnswerFile): Promise<StoredAnswer | undefined> {
    const { bytes, next: first } = await file.read(BEGINNING)
    const head = JSON.parse(Buffer.from(bytes).toString()) as AnswerHead
    let length = 0
    for (let place = first; ;) {
      const part = await file.read(place)
      const { kind } = part
      place = part.next
      if (kind === "whole" || kind === "cut") {
        return new StoredAnswer(file, { head, ending: kind, size: place.offset, length, first })
      }
      length += part.bytes.byteLength
    }
  }

  /** The next bytes of the body; undefined at its end. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { kind, bytes, next } = await this.#file.read(this.#next)
    if (kind !== "chunk") return undefined
    this.#next = next
    return bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
